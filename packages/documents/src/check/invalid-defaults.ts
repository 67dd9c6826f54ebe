import {
  findCost,
  IN_PLACE_LISTS,
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
import { dereference } from '../document/reference.ts';
import { findInt64s, type ShapeFinder } from '../document/shapes.ts';
import { walkDocument } from '../document/walk.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

// The other keywords contain schemas, or are not for values alone.
const CHECKED = [
  ...['type', 'enum', 'const', 'format', 'pattern', 'minLength', 'maxLength', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minItems', 'maxItems', 'required'],
];

const MAX_DEPTH = 5;

/**
 * Removes defaults that do not fit their own schema, such as `default: ''` of a number: each request without the value
 * would be refused. Numbers in the others become doubles, except int64s, as in requests.
 *
 * @returns a warning for each
 */
export function removeInvalidDefaults(document: Document): Diagnostic[] {
  const ajv = new Ajv2020({
    strict: false,
    validateSchema: false,
    logger: false,
    code: LIMITED_PATTERNS,
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
 * Returns the keywords of a schema that are checked.
 *
 * @param isScalar whether the value is a scalar: only then these keywords decide between alternatives
 */
function checkedPart(document: Document, node: object, isScalar: boolean, depth = 0): object {
  const entries = Object.entries(node).flatMap(([keyword, value]: [string, unknown]) => {
    if (isScalar && IN_PLACE_LISTS.includes(keyword) && Array.isArray(value) && depth < MAX_DEPTH) {
      const parts = value.map((part) => checkedPart(document, dereference(document, part) as object, true, depth + 1));
      return [[keyword, parts]];
    }
    if (keyword === 'items' && typeof value === 'object' && value !== null && depth < MAX_DEPTH)
      return [[keyword, checkedPart(document, dereference(document, value) as object, false, depth + 1)]];
    return CHECKED.includes(keyword) ? [[keyword, value]] : [];
  });
  const checked = Object.fromEntries(entries) as Record<string, unknown>;
  roundBigints(checked);
  return checked;
}

const TIME_LIMIT_MS = 100;
// Even where each character doubles the steps.
const CHEAP_LENGTH = 20;

/**
 * The `pattern` of a schema, whose test always ends: a text that takes too long does not match. Only a text without a
 * match makes a regular expression try all ways to find one.
 */
export class LimitedPattern extends RegExp {
  readonly #cheapLength: number;
  readonly #slow = new Set<string>();

  /** @throws {SyntaxError} when it is not a regular expression of ECMAScript */
  constructor(pattern: string) {
    super(pattern, flagsOf(pattern));
    this.#cheapLength = Math.max(CHEAP_LENGTH, findCost({ pattern }).cheapBytes);
  }

  override test(text: string): boolean {
    if (text.length <= this.#cheapLength) return super.test(text);
    if (this.#slow.has(text)) return false;
    try {
      return runWithin(TIME_LIMIT_MS, () => super.test(text));
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw error;
      this.#slow.add(text);
      return false;
    }
  }
}

/** Decided here, as the contract checks use no pattern of the engine. Without the flag `u`, needless escapes such as `\\-` are allowed, and a character beyond U+FFFF counts as two. */
function flagsOf(pattern: string): string {
  try {
    new RegExp(pattern, 'u');
    return 'u';
  } catch {
    return '';
  }
}

/** The patterns of validators of Ajv. */
export const LIMITED_PATTERNS = {
  regExp: Object.assign((pattern: string) => new LimitedPattern(pattern), { code: 'new LimitedPattern' }),
};
