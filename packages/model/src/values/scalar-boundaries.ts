import type { SchemaObject } from './dialect.ts';
import type { Json } from './json-value.ts';
import { multiplesIn } from './multiples.ts';

// Each function returns values at the limits of a schema and one step beyond, valid or not.

const RANGES: Readonly<Record<string, readonly bigint[]>> = {
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'];
const SMALL_STEP = 0.001;
const SIMILAR_CHOICES = 3;
const MAX_CHOICES = 20;

/** Returns numbers at the bounds and steps of a schema, and beside them. */
export function numberBoundaries(schema: SchemaObject, value: number | bigint): readonly Json[] {
  const { format, multipleOf } = schema;
  const isInteger = [schema['type']].flat().every((type) => type === 'integer');
  const exactBounds = BOUNDS.flatMap((keyword) => exactNumberAt(schema, keyword) ?? []);
  const bounds = exactBounds.map(Number);
  const whole = exactBounds.filter((bound) => typeof bound === 'bigint' || Number.isInteger(bound));
  const integers = [...whole.map(BigInt), ...(RANGES[String(format)] ?? [])];
  const step = typeof multipleOf === 'bigint' ? Number(multipleOf) : multipleOf;
  return [
    ...integers.flatMap((bound) => [bound, bound - 1n, bound + 1n]),
    ...(isInteger ? bounds.flatMap((bound) => [Math.floor(bound), Math.ceil(bound)]) : bounds),
    ...(isInteger ? [] : bounds.flatMap((bound) => [bound - SMALL_STEP, bound + SMALL_STEP].map(withoutError))),
    ...(typeof step !== 'number' ? [] : stepLimits(step, Number(value), bounds)),
  ];
}

/** Returns the multiples at each bound and beside it, and numbers between multiples. */
function stepLimits(step: number, value: number, bounds: readonly number[]): readonly number[] {
  const { multipleAt } = multiplesIn(step, 0, 0);
  const nearest = bounds.flatMap((bound) => {
    const { to } = multiplesIn(step, 0, bound);
    return [to - 1n, to, to + 1n];
  });
  const multiples = [...nearest, 1n, 2n, 3n].map(multipleAt);
  const between = Number.isInteger(step) ? [value + 1, value - 1] : [value + step / 2, value + step / 4];
  return [...multiples, ...between.map(withoutError)];
}

/** Rounds the error of decimal steps away: 3 * 0.1 is 0.30000000000000004. */
function withoutError(number: number): number {
  return Number(number.toPrecision(12));
}

/**
 * Returns texts at the limits of length in code points, others of the format, and texts around one that matches the
 * pattern.
 *
 * @param longText the length to try where there is no maximum
 * @param mostChars longer texts are left out
 */
export function textBoundaries(
  schema: SchemaObject,
  value: string,
  longText: number,
  mostChars: number,
): readonly Json[] {
  const min = numberAt(schema, 'minLength') ?? 0;
  const max = numberAt(schema, 'maxLength');
  const chars = Array.from(value);
  const usual = chars.at(-1) ?? 'x';
  const lengths = [min - 1, min, ...(max === undefined ? [] : [max, max + 1])].filter((n) => n >= 0 && n <= mostChars);
  return [
    ...lengths.flatMap((length) => [
      [...chars, ...Array<string>(Math.max(0, length - chars.length)).fill(usual)].slice(0, length).join(''),
      // Two UTF-16 units each, and two code points for each visible character.
      '🌿'.repeat(length),
      'e\u0301'.repeat(length).slice(0, length),
      // A server that removes white space would count less.
      `${usual.repeat(Math.max(0, length - 1))} `.slice(0, length),
    ]),
    ...(max === undefined ? [usual.repeat(longText), 'long text '.repeat(longText / 10)] : []),
    ...(FORMATTED[String(schema['format'])]?.(value) ?? []),
    ...(typeof schema['pattern'] === 'string' ? aroundText(value) : []),
  ];
}

// Only two of these years have the day (1900 has not, as it is no multiple of 400).
const LEAP_DAYS = ['2000-02-29', '2024-02-29', '1900-02-29', '2023-02-29'];
const withLeapDays = (value: string): readonly string[] => LEAP_DAYS.map((day) => day + value.slice(day.length));

/** Returns texts that only validators of the whole format judge rightly, by the format. */
const FORMATTED: Readonly<Record<string, (value: string) => readonly string[]>> = {
  date: withLeapDays,
  'date-time': withLeapDays,
  // The hexadecimal digits may have any case (RFC 9562, 4).
  uuid: (value) => [value.toUpperCase(), value.toLowerCase()],
};

/** Returns texts that contain another, start or end with it, or differ from it in case. */
function aroundText(text: string): readonly string[] {
  const [first = '', last = ''] = [text.at(0), text.at(-1)];
  const longer = ['x', '-', ' ', '\n', '1', first].map((prefix) => prefix + text);
  return [
    ...longer,
    ...['x', '-', ' ', '\n', '1', last, '\nx'].map((suffix) => text + suffix),
    ...[`x\n${text}`, text.slice(1), text.slice(0, -1), text.toUpperCase(), text.toLowerCase()],
  ];
}

/** Returns the values of `enum` or `const`, and values that are similar to them. */
export function choiceBoundaries(schema: SchemaObject): readonly Json[] {
  const { enum: list, const: only } = schema as { readonly enum?: readonly Json[]; readonly const?: Json }; // The document is JSON.
  const choices = (list ?? (only === undefined ? [] : [only])).slice(0, MAX_CHOICES);
  return [...choices, ...choices.slice(0, SIMILAR_CHOICES).flatMap(similarTo)];
}

function similarTo(choice: Json): readonly Json[] {
  if (typeof choice === 'number') return [String(choice), choice + 1, -choice];
  if (typeof choice === 'bigint') return [String(choice), choice + 1n, choice - 1n, -choice];
  if (typeof choice === 'boolean') return [String(choice), Number(choice)];
  if (typeof choice !== 'string') return [];
  const [first = '', ...rest] = choice;
  const cases = [choice.toUpperCase(), choice.toLowerCase(), first.toUpperCase() + rest.join('')];
  return [...cases, ` ${choice}`, `${choice} `, `${choice}\n`, `${choice}x`, choice.slice(0, -1)];
}

/** Returns the number of a keyword; `undefined` when there is none. */
export function numberAt(schema: SchemaObject, keyword: string): number | undefined {
  const value = exactNumberAt(schema, keyword);
  return value === undefined ? undefined : Number(value);
}

function exactNumberAt(schema: SchemaObject, keyword: string): number | bigint | undefined {
  const value = schema[keyword];
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
}
