import {
  binaryTag,
  constructFromEvents,
  CORE_SCHEMA,
  EVENT_ID,
  type Event,
  floatCoreTag,
  intCoreTag,
  mapTag,
  mergeTag,
  omapTag,
  pairsTag,
  parseEvents,
  type ScalarTagDefinition,
  setTag,
  YAMLException,
} from 'js-yaml';
import { exactNumber, isRawNumber } from './exact-numbers.ts';

/** A text is not YAML. The message is one line. */
export class ParseError extends Error {
  readonly line: number;
  readonly column: number;
  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

const DECIMAL = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const exact = (tag: ScalarTagDefinition<number>): ScalarTagDefinition => ({
  ...tag,
  resolve(source, isExplicit, name) {
    const value = tag.resolve(source, isExplicit, name);
    if (typeof value === 'number') return exactNumber(value, source);
    // js-yaml takes numbers beyond the range of a double for strings.
    const number = DECIMAL.test(source) ? Number(source) : 0;
    return Number.isFinite(number) ? value : exactNumber(number, source);
  },
});
const keyOf = (key: unknown): unknown => (isRawNumber(key) ? key.rawJSON : key);
const SCHEMA = CORE_SCHEMA.withTags(
  exact(intCoreTag),
  exact(floatCoreTag),
  {
    ...mapTag,
    addPair: (map, key, value) => mapTag.addPair(map as Record<string, unknown>, keyOf(key), value),
    has: (map, key) => mapTag.has(map as Record<string, unknown>, keyOf(key)),
  },
  [mergeTag, binaryTag, omapTag, pairsTag, setTag],
);
// Bytes of UTF-16, with or without a byte order mark, decoded as UTF-8.
const UTF_16 = /^(?:\uFFFD\uFFFD|\0[^]|[^]\0)/;
const DEFICIENT = 'deficient indentation';
// Limited, since each indented line costs another parse of the whole text.
const MAX_INDENTED = 200;

/** A parsed text. */
export type Parsed = {
  readonly value: unknown;
  /** Whether the value may contain an object or list several times, by YAML aliases. */
  readonly hasAliases: boolean;
  /** The text that was parsed, which may have other spaces before closing brackets. */
  readonly text: string;
};

/**
 * Parses a text in YAML or JSON. Numbers that a double would change become raw JSON. Accepts closing brackets and later
 * lines of quoted strings that are indented as their key, as most parsers do.
 *
 * @param rest the number of lines that may still be indented
 * @throws {ParseError} for invalid YAML
 */
export function parseText(text: string, rest = MAX_INDENTED): Parsed {
  if (UTF_16.test(text)) throw new ParseError('is encoded in UTF-16: save it as UTF-8', 1, 1);
  const json = parsePlainJson(text);
  if (json !== undefined) return { value: json, hasAliases: false, text };
  try {
    const events = parseEvents(text, {});
    assertSingle(events, text);
    const [value] = constructFromEvents(events, { source: text, schema: SCHEMA });
    return { value, hasAliases: events.some(({ type }) => type === EVENT_ID.ALIAS), text };
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const { reason, mark } = error;
    const line = (mark?.line ?? 0) + 1;
    const indented = reason === DEFICIENT && rest > 0 ? indentLine(text, line) : text;
    const parsed = indented === text ? undefined : parseIndented(indented, rest - 1);
    if (parsed !== undefined) return parsed;
    const advice = reason === DEFICIENT ? ': indent this line deeper than its key, or close a quote before it' : '';
    throw new ParseError(reason + advice, line, (mark?.column ?? 0) + 1);
  }
}

// Matches numbers that a double may change, and some texts.
const INEXACT = /(?:^|[\s:[,])(?:-0[\d.]*|-?[\d.]{16,}|-?[\d.]+[eE][-+]?\d+)\s*(?:[,\]}]|$)/;
// Less than the YAML parser allows.
const MAX_DEPTH = 50;
const BACKSLASH = 0x5c;
const COLON = /\s*:/y;

/**
 * Parses a JSON object with `JSON.parse`, which is several times faster. Returns `undefined` for a text that only the
 * YAML parser reads exactly, such as an object with a repeated name.
 */
function parsePlainJson(text: string): unknown {
  if (!/^\s*\{/.test(text) || INEXACT.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return countMembers(value) === countNames(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Counts the members of all objects in a value. Returns `NaN` for a value that is nested deeply. */
function countMembers(value: unknown, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (depth === MAX_DEPTH) return NaN;
  const members: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : members.length;
  for (const member of members) count += countMembers(member, depth + 1);
  return count;
}

/** Counts the names of members in a valid JSON text: the strings before a colon. */
function countNames(text: string): number {
  let count = 0;
  let start = text.indexOf('"');
  while (start !== -1) {
    let end = text.indexOf('"', start + 1);
    while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
    COLON.lastIndex = end + 1;
    if (COLON.test(text)) count += 1;
    start = text.indexOf('"', end + 1);
  }
  return count;
}

/** Returns whether an odd number of backslashes precedes a quote. */
function isEscaped(text: string, quote: number): boolean {
  let first = quote;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (quote - first) % 2 === 1;
}

/** @throws for several documents */
function assertSingle(events: readonly Event[], text: string): void {
  const second = events.findIndex(({ type }, index) => index > 0 && type === EVENT_ID.DOCUMENT);
  if (second === -1) return;
  const next = events.at(second + 1) as { readonly start?: number; readonly valueStart?: number } | undefined;
  const before = text.slice(0, next?.start ?? next?.valueStart ?? text.length);
  const lines = before.slice(0, before.lastIndexOf('\n---') + 1).split('\n');
  throw new ParseError('expected a single document in the stream, but found more', lines.length, 1);
}

/** Parses a text with an indented line. Returns `undefined` if it has another mistake, such as an open quote. */
function parseIndented(text: string, rest: number): Parsed | undefined {
  try {
    return parseText(text, rest);
  } catch (error) {
    if (error instanceof ParseError) return undefined;
    throw error;
  }
}

// Such a line in a quoted string is rather a member after an open quote.
const MEMBER = /^(?:- |["']?[\w$./{}-]+["']?:(?:\s|$))/;

/** Indents a line deeper than the line before, or a closing bracket like it. The value is the same. */
function indentLine(text: string, line: number): string {
  const lines = text.split('\n');
  const content = lines[line - 1]?.trimStart() ?? '';
  const before = lines.slice(0, line - 1).findLast((other) => other.trim() !== '') ?? '';
  if (MEMBER.test(content)) return text;
  lines[line - 1] = (/^ */.exec(before)?.[0] ?? '') + (/^[\]}]/.test(content) ? content : ` ${content}`);
  return lines.join('\n');
}
