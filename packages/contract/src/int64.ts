import type { JsonTree } from './json.ts';
import { createProblem, MAX_PROBLEMS, NO_PROBLEMS, placeOf, type Problem } from './problem.ts';

/**
 * The locations of the int64s in a JSON value: its schema, reduced to the parts that lead to an int64. `$ref` names
 * another shape, so recursive schemas are finite.
 */
export type Int64Shape = {
  readonly int64?: true;
  readonly $ref?: string;
  readonly allOf?: readonly Int64Shape[];
  readonly properties?: Readonly<Record<string, Int64Shape>>;
  readonly additionalProperties?: Int64Shape;
  readonly items?: Int64Shape;
};

type Key = string | number;
type Holder = Record<Key, unknown>;

const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;

/**
 * Replaces every int64 of a parsed JSON text with a `bigint`, in place.
 *
 * The validator has already checked the numbers as doubles. This function checks the digits that were sent, which differ
 * from the double beyond 2^53 and at the ends of the range.
 *
 * @param location the place of the value: `body`; the empty one for an object of several
 * @returns the first ten problems; none when every int64 is an integer in range
 */
export function reviveInt64s(
  json: JsonTree,
  shape: Int64Shape | undefined,
  named: Readonly<Record<string, Int64Shape>>,
  location: string,
): readonly Problem[] {
  if (shape === undefined) return NO_PROBLEMS;
  const problems: Problem[] = [];
  const path: Key[] = location === '' ? [] : [location];
  let visited: Map<Int64Shape, Set<unknown>> | undefined;
  revive(json.root, '', shape, false);
  return problems;

  /** @param isShared whether several parts of a schema may reach this value, in recursive schemas exponentially often */
  function revive(holder: Holder, key: Key, at: Int64Shape, isShared: boolean): void {
    if (problems.length === MAX_PROBLEMS) return;
    const { $ref, allOf, properties, additionalProperties, items } = at;
    if ($ref !== undefined) {
      const target = named[$ref];
      if (target !== undefined && !(isShared && isVisited(holder[key], at))) revive(holder, key, target, isShared);
    }
    const parts =
      Number($ref !== undefined) +
      (allOf?.length ?? 0) +
      Number((properties ?? additionalProperties ?? items) !== undefined);
    const isBranching = isShared || parts > 1;
    if (allOf !== undefined) for (const part of allOf) revive(holder, key, part, isBranching);

    const value = holder[key];
    if (typeof value === 'number') {
      if (at.int64 === true) holder[key] = exact(value, json.sourceDigits.get(holder, String(key)));
    } else if (Array.isArray(value)) {
      if (items === undefined) return;
      const list = value as unknown as Holder;
      for (let index = 0; index < value.length; index += 1) reviveMember(list, index, items, isBranching);
    } else if (typeof value === 'object' && value !== null) {
      if (properties === undefined && additionalProperties === undefined) return;
      const object = value as Holder;
      for (const name in object) {
        const member = own(properties, name) ?? additionalProperties;
        if (member !== undefined) reviveMember(object, name, member, isBranching);
      }
    }
  }

  function reviveMember(holder: Holder, key: Key, at: Int64Shape, isShared: boolean): void {
    path.push(key);
    revive(holder, key, at, isShared);
    path.pop();
  }

  function isVisited(value: unknown, at: Int64Shape): boolean {
    if (typeof value !== 'object' || value === null) return false;
    visited ??= new Map();
    const values = visited.get(at) ?? new Set();
    if (values.has(value)) return true;
    visited.set(at, values.add(value));
    return false;
  }

  function exact(double: number, sourceDigits: string | undefined): bigint | number {
    const isExact = sourceDigits === undefined && Number.isInteger(double);
    const value = isExact ? BigInt(double) : integerOf(sourceDigits ?? String(double));
    if (value !== undefined && MIN <= value && value <= MAX) return value;
    const message = value === undefined ? 'must be integer' : `must be between ${String(MIN)} and ${String(MAX)}`;
    problems.push(createProblem(placeOf(...path), message));
    return double;
  }
}

/** Whether a bigint fits into a signed 64-bit integer. */
export function isInt64(value: bigint): boolean {
  return MIN <= value && value <= MAX;
}

/**
 * Converts the digits of a JSON number to an integer. `1.0` and `1e2` are integers (JSON Schema 2020-12, 6.1.1).
 *
 * @returns `undefined` for a number with a fractional part; ±2^64 for any number with more digits than an int64, since
 *   expanding `1e999999999` would exhaust memory
 */
export function integerOf(sourceDigits: string): bigint | undefined {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(sourceDigits) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 0n;
  // A loop, since /0+$/ restarts at each zero and takes quadratic time.
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
