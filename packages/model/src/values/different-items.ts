import { stringifyJson } from '@contract-first/contract';
import { isObject, type Json, type JsonArray } from './json-value.ts';

/** Returns a list of different items of a pool; where it has too few, items that differ from its first one by a number. */
export function differentItems(pool: readonly Json[], length: number): JsonArray {
  const different = [...new Map(pool.map((item) => [stringifyJson(item), item])).values()];
  if (length <= different.length) return different.slice(0, length);
  const [first = null] = different;
  return Array.from({ length }, (_, index) => (index === 0 ? first : successor(first, index)));
}

/** Returns a value that differs from another by a number. */
function successor(value: Json, index: number): Json {
  if (typeof value === 'number' || typeof value === 'bigint') return BigInt(Math.trunc(Number(value))) + BigInt(index);
  if (typeof value === 'string') return `${value}${String(index)}`;
  if (!isObject(value)) return index;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, isObject(member) ? member : successor(member, index)]),
  );
}
