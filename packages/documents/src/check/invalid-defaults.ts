import {
  findCost,
  isInPlaceList,
  mapBigints,
  replaceEqualityKeywords,
  replaceFormats,
  replaceLimits,
  replaceMultipleOf,
  reviveInt64s,
  roundBigints,
  runWithin,
  stringifyJson,
  TimeLimitExceeded,
  toJsonTree,
  withDigits,
} from '@contract-first/contract';
import ajvFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Document } from '../document/document.ts';
import { resolveSchema } from '../document/reference.ts';
import { findInt64s, type ShapeFinder } from '../document/shapes.ts';
import { walkDocument } from '../document/walk.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

// Other keywords contain schemas, or do not constrain values.
const CHECKED = [
  'type',
  'enum',
  'const',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'required',
];

const MAX_DEPTH = 5;

/**
 * Removes defaults that are invalid against their own schema, such as `default: ''` for a number: each request without
 * the value would be rejected. Converts numbers in the remaining defaults to doubles, except int64s, as in requests.
 *
 * @returns a warning for each removed default
 */
export function removeInvalidDefaults(document: Document): Diagnostic[] {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    logger: false,
    code: CODE_OPTIONS,
  });
  ajvFormats.default(ajv);
  replaceEqualityKeywords(ajv);
  replaceLimits(ajv);
  replaceMultipleOf(ajv);
  replaceFormats(ajv);
  const verdicts = new Map<string, boolean>();
  let int64s: ShapeFinder | undefined;
  const warnings: Diagnostic[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind !== 'schema' || node['default'] === undefined) return;
    const { default: value } = node;
    const text = stringifyJson(value);
    const checked = checkedPart(document, node, typeof value !== 'object' || value === null);
    const key = stringifyJson([checked, value]);
    const tree = toJsonTree(structuredClone(value));
    const isValid = verdicts.get(key) ?? ajv.validate({ properties: { '': checked } }, withDigits(tree));
    verdicts.set(key, isValid);
    if (!isValid) {
      warnings.push({ pointer, message: `the default ${text} is not used, since it does not fit its schema` });
      Reflect.deleteProperty(node, 'default');
    } else if (mapBigints(value, Number) !== value) {
      int64s ??= findInt64s(document);
      reviveInt64s(tree, int64s.shapeOf(node), int64s.named, 'default');
      Object.assign(node, { default: tree.root[''] });
    }
  });
  return warnings;
}

/**
 * Returns a schema reduced to the checked keywords.
 *
 * @param isScalar whether the value is a scalar; only then are alternatives checked
 */
function checkedPart(document: Document, node: object, isScalar: boolean, depth = 0): object {
  const entries = Object.entries(node).flatMap(([keyword, value]: [string, unknown]) => {
    if (isScalar && isInPlaceList(keyword) && Array.isArray(value) && depth < MAX_DEPTH) {
      const parts = value.map((part) => checkedPart(document, resolveSchema(document, part), true, depth + 1));
      return [[keyword, parts]];
    }
    if (keyword === 'items' && typeof value === 'object' && value !== null && depth < MAX_DEPTH)
      return [[keyword, checkedPart(document, resolveSchema(document, value), false, depth + 1)]];
    return CHECKED.includes(keyword) ? [[keyword, value]] : [];
  });
  const checked = Object.fromEntries(entries) as Record<string, unknown>;
  roundBigints(checked);
  return checked;
}

const TIME_LIMIT_MS = 100;
// Texts of this length are cheap even if each character doubles the matching steps.
const CHEAP_LENGTH = 20;
// Each test starts a watchdog, and generated values are tested again as parts of larger values.
const MAX_KNOWN = 1_000;
const MAX_KNOWN_LENGTH = 1_000;

/**
 * A `pattern` with a time limit: a text that takes too long does not match. Usually only texts that do not match are
 * slow, since the expression tries every alternative.
 */
export class LimitedPattern extends RegExp {
  readonly #cheapLength: number;
  /** The results of short texts, and of slow texts. */
  readonly #known = new Map<string, boolean>();

  /** @throws {SyntaxError} if it is not an ECMAScript regular expression */
  constructor(pattern: string) {
    super(pattern, flagsOf(pattern));
    this.#cheapLength = Math.max(CHEAP_LENGTH, findCost({ pattern }).cheapBytes);
  }

  override test(text: string): boolean {
    if (text.length <= this.#cheapLength) return super.test(text);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    try {
      const result = runWithin(TIME_LIMIT_MS, () => super.test(text));
      if (this.#known.size < MAX_KNOWN && text.length <= MAX_KNOWN_LENGTH) this.#known.set(text, result);
      return result;
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw error;
      this.#known.set(text, false);
      return false;
    }
  }
}

/**
 * Returns the flags for a pattern: without `u`, needless escapes such as `\\-` are allowed, and a character beyond
 * U+FFFF counts as two. Independent of the engine's `compilePattern`, since the contract checks must not rely on engine
 * code.
 */
function flagsOf(pattern: string): string {
  try {
    new RegExp(pattern, 'u');
    return 'u';
  } catch {
    return '';
  }
}

/** Ajv's options for schemas that validate few values: optimizing their code takes longer than validating. */
export const CODE_OPTIONS = {
  optimize: false,
  regExp: Object.assign((pattern: string) => new LimitedPattern(pattern), { code: 'new LimitedPattern' }),
};
