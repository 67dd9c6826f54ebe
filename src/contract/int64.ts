import type { JsonTree } from './json.ts';

/**
 * Where the int64s of a JSON value are: its schema, with everything left out that leads to none. `$ref` names another
 * shape, so that recursive schemas stay finite.
 */
export type Int64Shape = {
  readonly int64?: true;
  readonly $ref?: string;
  readonly allOf?: readonly Int64Shape[];
  readonly properties?: Readonly<Record<string, Int64Shape>>;
  readonly additionalProperties?: Int64Shape;
  readonly items?: Int64Shape;
};

const MAX_PROBLEMS = 10;
const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/**
 * Puts a `bigint` in the place of every int64 of a parsed JSON text, in place.
 *
 * The numbers must already be valid integers to a validator that sees doubles; what a double cannot tell (the last digits
 * beyond 2^53, the ends of the range) is decided here, on the digits that were sent.
 *
 * @param place what to call the value in a problem: `body`
 * @returns the problems found, each with its place (`body/id`); the first ten; none when every int64 is exact and in range
 */
export function reviveInt64s(
  json: JsonTree,
  shape: Int64Shape | undefined,
  named: Readonly<Record<string, Int64Shape>>,
  place: string,
): string[] {
  const problems: string[] = [];
  // The alternatives of a recursive schema lead to the same value again and again, each time by a `$ref`.
  let visited: Map<object, Set<Int64Shape>> | undefined;
  if (shape !== undefined) revive(json.root, '', shape, place);
  return problems;

  function revive(holder: Record<string, unknown>, key: string, at: Int64Shape, place: string): void {
    if (problems.length === MAX_PROBLEMS) return;
    if (at.$ref !== undefined) {
      if (isVisited(holder[key], at)) return;
      const target = named[at.$ref];
      if (target !== undefined) revive(holder, key, target, place);
    }
    for (const part of at.allOf ?? []) revive(holder, key, part, place);

    const value = holder[key];
    if (typeof value === 'number') {
      if (at.int64 === true) holder[key] = exact(value, json.literal(holder, key), place);
    } else if (Array.isArray(value)) {
      if (at.items === undefined) return;
      for (const index of value.keys()) {
        // An array is indexed by the decimal strings of its indices.
        revive(value as unknown as Record<string, unknown>, String(index), at.items, `${place}/${String(index)}`);
      }
    } else if (typeof value === 'object' && value !== null) {
      const object = value as Record<string, unknown>;
      for (const name of Object.keys(object)) {
        const member = own(at.properties, name) ?? at.additionalProperties;
        if (member !== undefined) revive(object, name, member, `${place}/${name}`);
      }
    }
  }

  function isVisited(value: unknown, at: Int64Shape): boolean {
    if (typeof value !== 'object' || value === null) return false;
    visited ??= new Map();
    const shapes = visited.get(value) ?? new Set();
    if (shapes.has(at)) return true;
    visited.set(value, shapes.add(at));
    return false;
  }

  function exact(double: number, literal: string | undefined, place: string): bigint | number {
    const isExact = literal === undefined && Number.isInteger(double);
    const value = isExact ? BigInt(double) : integerOf(literal ?? String(double));
    if (value === undefined) problems.push(`${place} must be integer`);
    else if (value < MIN || value > MAX) problems.push(`${place} must be between ${String(MIN)} and ${String(MAX)}`);
    else return value;
    return double;
  }
}

/** Whether a bigint fits into 64 bits. */
export function isInt64(value: bigint): boolean {
  return MIN <= value && value <= MAX;
}

/**
 * The integer that a JSON number stands for, `undefined` when it has a fractional part. `1.0` and `1e2` are integers
 * (JSON Schema 2020-12, 6.1.1). What has more digits than any int64 comes back as 2^64, with its sign: it is out of
 * range whatever it is, and `1e999999999` must not be written out.
 */
export function integerOf(literal: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(literal) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  // Not by /0+$/, which tries again from every zero there is.
  let end = digits.length;
  while (digits.charAt(end - 1) === '0') end -= 1;
  const significant = digits.slice(0, end);
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0) return undefined;
  const magnitude = significant.length + zeros > 19 ? 2n ** 64n : BigInt(significant + '0'.repeat(zeros));
  return sign === '-' ? -magnitude : magnitude;
}

function own<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
