import type { Json } from './json-value.ts';

// Values that services often mishandle: limits of number ranges, unusual texts, and large values.

/** The limits of int32, uint32, safe integers and int64, and adjacent integers. */
export const EDGE_INTEGERS: readonly bigint[] = [31n, 32n, 53n, 63n].flatMap((bits) => {
  const end = 2n ** bits;
  return [end - 1n, end, end + 1n, -end - 1n, -end, -end + 1n];
});

/** Well-formed strings that a service must return unchanged. */
export const EDGE_TEXTS: readonly string[] = [
  ...['', ' ', '0', '1.5', 'true', 'null', '__proto__', "'", '"', '\\', '%', '{}', '🌿', 'e\u0301', '\u202e', '\u2028'],
  ...['\ufeffx', '\uffff', '\r\n', '\u0000', 'a\u0000b'],
];

/** Strings that JSON escapes can represent but UTF-8 cannot. */
export const LONE_SURROGATES: readonly string[] = ['\ud800', 'a\udc00b'];

/** Names that JavaScript objects inherit or that libraries treat specially. */
export const EDGE_NAMES: readonly string[] = [
  '',
  'extra',
  '__proto__',
  'constructor',
  'toString',
  'access_token',
  '\u0000',
];

const DEPTH = 200;
const WIDTH = 500;
const LONG_TEXT_CHARS = 10_000;

/** Replacements for parts of a request. The result may be valid or invalid. */
export const HOSTILE_VALUES: readonly Json[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 1e300, -1e-300],
  ...EDGE_INTEGERS,
  ...EDGE_TEXTS,
  ...LONE_SURROGATES,
  'x'.repeat(LONG_TEXT_CHARS),
  ...['2026-02-30', '1', 'a@b@c'],
  ...[[], [null], [[]], {}, { unknown: null }],
  Array.from({ length: DEPTH }).reduce<Json>((inside) => [inside], []),
  Array.from({ length: DEPTH }).reduce<Json>((inside) => ({ unknown: inside }), {}),
  Array.from({ length: WIDTH }, (_, index) => index),
  Object.fromEntries(Array.from({ length: WIDTH }, (_, index) => [`p${String(index)}`, index])),
];
