import fc from 'fast-check';
import { LimitedPattern } from '@contract-first/documents';
import type { JsonSchemaObject } from './json-schema.ts';
import { EDGE_INTEGERS, EDGE_TEXTS, LONE_SURROGATES } from './hostile-values.ts';
import type { Json } from './json-value.ts';
import { integerStep, multiplesIn } from './multiples.ts';
import { failureOr, oneOf, TooLarge } from './generation-failure.ts';
import {
  isGeneratable,
  MOST_REPETITIONS,
  maxPatternLength,
  withMinLength,
  withoutAssertions,
} from './pattern-length.ts';
import { exactNumberAt, INTEGER_RANGES, numberAt } from './schema-numbers.ts';
import { longestText, sizeOfText, type Sized } from './value-size.ts';

/**
 * The kind of generated strings: `any` includes lone surrogates, `well-formed` is valid Unicode, `token` fits headers.
 */
export type TextKind = 'any' | 'well-formed' | 'token';

const SAFE = 2n ** 53n - 1n;
// The number of multiples on each side of the multiple closest to zero, which have few digits.
const FEW = 1_000_000n;

/**
 * Generates integers in the range of the schema. Prefers the limits of the range and of common integer types.
 *
 * @param plain whether to prefer small numbers
 */
export function integers(schema: JsonSchemaObject, plain: boolean): fc.Arbitrary<Json> {
  const [lowest, highest] = INTEGER_RANGES[String(schema['format'])] ?? [-SAFE, SAFE];
  const step = integerStep(exactNumberAt(schema, 'multipleOf') ?? 1);
  const above = limit(schema, 'minimum', 'exclusiveMinimum', 1n, lowest);
  const below = limit(schema, 'maximum', 'exclusiveMaximum', -1n, highest);
  const min = above > lowest ? above : lowest;
  const max = below < highest ? below : highest;
  const from = ceilDivide(min, step);
  const to = -ceilDivide(-max, step);
  if (from > to) return fc.constantFrom<Json>(min); // No valid value exists; the oracle rejects this value.
  const edges = [...EDGE_INTEGERS, 0n, 1n, -1n].filter((edge) => edge >= min && edge <= max && edge % step === 0n);
  const max99 = to > 99n && from <= 0n ? 99n : to;
  if (plain) return fc.bigInt({ min: from < 0n && to >= 0n ? 0n : from, max: max99 }).map((n) => n * step);
  const small = fc.bigInt({ min: from < -99n && to >= 0n ? -99n : from, max: max99 });
  return fc.oneof(
    { withCrossShrink: true }, // Shrinks edge values to small values.
    small.map((n) => n * step),
    fc.constantFrom(from * step, to * step, ...edges),
    fc.bigInt({ min: from, max: to }).map((n) => n * step),
  );
}

/**
 * Generates numbers in the range of the schema.
 *
 * @param plain whether to prefer small positive numbers with few digits
 */
export function numbers(schema: JsonSchemaObject, plain: boolean): fc.Arbitrary<Json> {
  const end = schema['format'] === 'float' ? 3.4e38 : Number.MAX_VALUE;
  const min = Math.max(numberAt(schema, 'minimum') ?? -end, numberAt(schema, 'exclusiveMinimum') ?? -end);
  const max = Math.min(numberAt(schema, 'maximum') ?? end, numberAt(schema, 'exclusiveMaximum') ?? end);
  const step = numberAt(schema, 'multipleOf');
  if (min > max) return fc.constant(min);
  if (step !== undefined) {
    const { from, to, multipleAt } = multiplesIn(step, min, max);
    if (from > to) return fc.constant(min); // No valid value exists; the oracle rejects this value.
    const nearest = from > 0n ? from : to < 0n ? to : 0n;
    const [low, high] = [nearest - FEW, nearest + FEW];
    return fc.bigInt({ min: low > from ? low : from, max: high < to ? high : to }).map(multipleAt);
  }
  const isIn = (n: number): boolean => n >= min && n <= max;
  const simple = [0.5, 1, 1.5, 2, 2.5, 3, 5, 10, 12.5, 50, 99].filter(isIn);
  if (plain && simple.length > 0) return fc.constantFrom(...simple);
  const edges = [min, max, 0, 1, -1, 1.5, 5e-324, 1e-7, 2 ** 53].filter(isIn);
  return fc.oneof(fc.constantFrom(...edges), fc.double({ min, max, noNaN: true, noDefaultInfinity: true }));
}

/**
 * Generates strings with the length, pattern and format of the schema.
 *
 * @param plain whether to prefer short and common texts
 * @param limit the maximum size of a string
 * @throws {TooLarge} if the length or the pattern requires larger strings
 */
export function strings(schema: JsonSchemaObject, kind: TextKind, plain: boolean, limit: number): Sized<Json> {
  const lengths = lengthsOf(schema);
  const { minLength } = lengths;
  if (minLength > longestText(limit)) throw new TooLarge();
  const matches = matching(schema, limit);
  const name = String(schema['format']);
  const arbitrary =
    (plain ? PLAIN_FORMATS.get(name)?.(lengths) : undefined) ??
    LIMITED_FORMATS.get(name)?.(lengths) ??
    prepare(`format ${name}`, () => FORMATS.get(name)?.());
  const formatted = arbitrary && { arbitrary, size: Math.max(FORMATTED_SIZE, sizeOfText(minLength)) };
  // Values for one keyword may satisfy the other keyword by chance.
  if (matches !== undefined && formatted !== undefined) return oneOf([() => matches, () => formatted]);
  return matches ?? formatted ?? plainStrings(schema, kind, limit);
}

const FORMATTED_SIZE = sizeOfText(40);

/** The limits of the length of a text. */
type Lengths = { readonly minLength: number; readonly maxLength: number };

function lengthsOf(schema: JsonSchemaObject): Lengths {
  return { minLength: numberAt(schema, 'minLength') ?? 0, maxLength: numberAt(schema, 'maxLength') ?? Infinity };
}

// Cached, since fast-check needs up to a second and 20 MB for some patterns and formats, which documents often repeat.
const PREPARED = new Map<string, fc.Arbitrary<Json> | undefined>();

/** Returns the cached arbitrary for a key, or creates it. */
function prepare(key: string, create: () => fc.Arbitrary<Json> | undefined): fc.Arbitrary<Json> | undefined {
  if (!PREPARED.has(key)) PREPARED.set(key, create());
  return PREPARED.get(key);
}

// Any character, like fast-check's unit `binary`, whose creation takes a second. Shrinks to `a`.
const SURROGATES = 0x800;
const CHARACTERS = 0x110000 - SURROGATES;
const CHARACTER = fc.nat(CHARACTERS - 1).map((number) => {
  const index = (number + 0x61) % CHARACTERS;
  return String.fromCodePoint(index < 0xd800 ? index : index + SURROGATES);
});

function plainStrings(schema: JsonSchemaObject, kind: TextKind, limit: number): Sized<Json> {
  const minLength = Math.max(numberAt(schema, 'minLength') ?? 0, kind === 'token' ? 1 : 0);
  if (minLength > longestText(limit)) throw new TooLarge();
  const longest = numberAt(schema, 'maxLength') ?? Math.max(minLength + 10, 20);
  // No valid value exists; the oracle rejects this value.
  if (minLength > longest) return { arbitrary: fc.constant(''), size: 1 };
  const token = fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyzABCXYZ0123456789-_'));
  if (minLength > LONG_TEXT) return longStrings(minLength, kind === 'token' ? token : fc.oneof(token, CHARACTER));
  const maxLength = Math.min(longest, longestText(limit));
  const fits = (text: string): boolean => lengthOf(text) >= minLength && lengthOf(text) <= maxLength;
  const lengths = { minLength, maxLength };
  const size = sizeOfText(Math.min(maxLength, MOST_REPETITIONS.small(minLength)));
  if (kind === 'token') return { arbitrary: fc.string({ ...lengths, unit: token }), size };
  const edges = [...EDGE_TEXTS, ...(kind === 'any' ? LONE_SURROGATES : [])].filter(fits);
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
  const arbitrary = fc.oneof(
    fc.string({ ...lengths, unit: token }),
    fc.string({ ...lengths, unit: CHARACTER }),
    ...(edges.length > 0 ? [fc.constantFrom(...edges)] : []),
    ...(kind === 'any' ? [fc.string({ ...lengths, unit }).filter(fits)] : []),
  );
  return { arbitrary, size };
}

// fast-check needs 200 bytes per character.
const LONG_TEXT = 1_000;

/** Generates texts of a length by repeating shorter texts. */
function longStrings(length: number, unit: fc.Arbitrary<string>): Sized<Json> {
  const characters = fc.array(unit, { minLength: 1, maxLength: LONG_TEXT, size: 'medium' });
  const arbitrary = characters.map(
    (some) => some.join('').repeat(Math.floor(length / some.length)) + some.slice(0, length % some.length).join(''),
  );
  return { arbitrary, size: sizeOfText(length) };
}

/**
 * Prepares the generator of texts that match the pattern of a schema: fast-check needs up to half a second for some
 * patterns.
 *
 * @param limit the maximum size of the texts
 */
export function preparePattern(schema: JsonSchemaObject, limit: number): void {
  failureOr(() => matching(schema, limit));
}

/**
 * Generates texts that match the pattern of a schema, apart from its assertions. Returns `undefined` if there is no
 * pattern or fast-check does not support it.
 */
function matching(schema: JsonSchemaObject, limit: number): Sized<Json> | undefined {
  const { pattern } = schema;
  if (typeof pattern !== 'string') return undefined;
  const { minLength, maxLength } = lengthsOf(schema);
  const plain = withoutAssertions(pattern);
  const long = minLength > 1 ? withMinLength(plain, minLength, maxLength) : plain;
  // Limits wide ranges of repetitions: `.{1,2097152}` would be 2 MB.
  const short = long.replaceAll(/\{(\d+),(\d+)\}/g, (all, from: string, to: string) =>
    Number(to) - Number(from) > MAX_REPETITIONS ? `{${from},${String(Number(from) + MAX_REPETITIONS)}}` : all,
  );
  // fast-check needs as much time for each character as for a value.
  const repetition = (['small', 'xsmall'] as const).find((size) => maxPatternLength(short, size) <= limit);
  if (repetition === undefined) throw new TooLarge();
  const arbitrary = prepare(`pattern ${repetition} ${short}`, () => {
    // Otherwise, the oracle filters arbitrary strings.
    if (!isGeneratable(short)) return undefined;
    try {
      const created = fc.stringMatching(new LimitedPattern(short), { size: repetition });
      fc.sample(created, { seed: 1, numRuns: 1 });
      return created;
    } catch {
      return undefined; // fast-check does not support it.
    }
  });
  return arbitrary && { arbitrary, size: maxPatternLength(short, repetition) };
}

const MAX_REPETITIONS = 20;

const dates = (from = '1000', to = '9999'): fc.Arbitrary<string> =>
  fc
    .date({ min: new Date(`${from}-01-01T00:00:00Z`), max: new Date(`${to}-12-31T23:59:59Z`), noInvalidDate: true })
    .map((date) => date.toISOString());

/** Removes the milliseconds of a time that would be too long. */
const within = ({ maxLength }: Lengths, time: string): string =>
  time.length > maxLength ? time.replace(/\.\d+/, '') : time;
const dateTimes = (lengths: Lengths, from?: string, to?: string): fc.Arbitrary<string> =>
  dates(from, to).map((text) => within(lengths, text));
const times = (lengths: Lengths): fc.Arbitrary<string> => dates().map((text) => within(lengths, text.slice(11)));

/** Generates texts with a word between two texts. */
function words({ minLength, maxLength }: Lengths, before: string, after = ''): fc.Arbitrary<string> {
  const others = before.length + after.length;
  const least = Math.max(1, minLength - others);
  const most = Math.max(least, Math.min(10, maxLength - others));
  const unit = fc.constantFrom(...Array.from('abcdefghijklmnopqrstuvwxyz'));
  return fc.string({ minLength: least, maxLength: most, unit }).map((word) => `${before}${word}${after}`);
}

/** Generates base64, whose length is a multiple of four. */
function base64({ minLength, maxLength }: Lengths): fc.Arbitrary<string> {
  const least = 4 * Math.ceil(minLength / 4);
  // Without such a text, the oracle rejects longer ones.
  return fc.base64String({ minLength: least, maxLength: Math.max(least, Math.min(maxLength, least + 20)) });
}

type LimitedFormat = (lengths: Lengths) => fc.Arbitrary<Json>;

// Common values, and faster: creating some of fast-check's address arbitraries takes a second.
const PLAIN_FORMATS: ReadonlyMap<string, LimitedFormat> = new Map<string, LimitedFormat>([
  ['date-time', (lengths) => dateTimes(lengths, '2020', '2029')],
  ['date', () => dates('2020', '2029').map((text) => text.slice(0, 10))],
  ['uuid', () => fc.noBias(fc.uuid({ version: 4 }))], // With bias, most digits of many UUIDs are 0 or f.
  ['email', (lengths) => words(lengths, '', '@example.com')],
  ['hostname', (lengths) => words(lengths, '', '.example.com')],
  ['uri', (lengths) => words(lengths, 'https://example.com/')],
  ['url', (lengths) => words(lengths, 'https://example.com/')],
  ['uri-reference', (lengths) => words(lengths, '/')],
]);

/** The formats whose texts can be as short or as long as required. */
const LIMITED_FORMATS: ReadonlyMap<string, LimitedFormat> = new Map<string, LimitedFormat>([
  ['date-time', (lengths) => dateTimes(lengths)],
  ['time', times],
  ['iso-date-time', (lengths) => dateTimes(lengths)],
  ['iso-time', times],
  ['byte', base64],
]);

const FORMATS: ReadonlyMap<string, () => fc.Arbitrary<Json>> = new Map<string, () => fc.Arbitrary<Json>>([
  ['date', () => dates().map((text) => text.slice(0, 10))],
  ['duration', () => fc.constantFrom('P1D', 'PT1H', 'P1Y2M3DT4H5M6S')],
  ['uuid', () => fc.uuid()],
  ['email', () => fc.emailAddress()],
  ['hostname', () => fc.domain()],
  ['ipv4', () => fc.ipV4()],
  ['ipv6', () => fc.ipV6()],
  ['uri', () => fc.webUrl()],
  ['url', () => fc.webUrl()],
  ['uri-template', () => fc.constantFrom('/a/{id}', '/a{?page}')],
  ['uri-reference', () => fc.webPath()],
  ['json-pointer', () => fc.constantFrom('', '/a', '/a~1b/0')],
  ['json-pointer-uri-fragment', () => fc.constantFrom('#', '#/a')],
  ['relative-json-pointer', () => fc.constantFrom('0', '1/a')],
  ['regex', () => fc.constantFrom('^a+$', '[0-9]')],
]);

/** Returns whether the texts of a format are generated. */
export function isGenerated(format: string): boolean {
  return FORMATS.has(format) || LIMITED_FORMATS.has(format);
}

/** Returns the length in code points, as in JSON Schema. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}

/** Returns the inclusive integer limit of a schema. @param beyond the step inwards from an exclusive limit */
function limit(
  schema: JsonSchemaObject,
  inclusive: string,
  exclusive: string,
  beyond: bigint,
  fallback: bigint,
): bigint {
  const isWhole = (n: number | bigint): boolean => typeof n === 'bigint' || Number.isInteger(n);
  const round = (n: number | bigint): bigint =>
    BigInt(isWhole(n) ? n : beyond > 0n ? Math.ceil(Number(n)) : Math.floor(Number(n)));
  const within = exactNumberAt(schema, inclusive);
  const outside = exactNumberAt(schema, exclusive);
  const found = [
    ...(within === undefined ? [] : [round(within)]),
    ...(outside === undefined ? [] : [isWhole(outside) ? BigInt(outside) + beyond : round(outside)]),
  ];
  return found.reduce((one, other) => (one > other === beyond > 0n ? one : other), found[0] ?? fallback);
}

function ceilDivide(n: bigint, divisor: bigint): bigint {
  const quotient = n / divisor;
  return n % divisor > 0n ? quotient + 1n : quotient;
}
