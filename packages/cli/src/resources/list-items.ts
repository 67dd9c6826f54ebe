import type { ApiOperation } from '../check/api-operation.ts';
import { isArray, isObject, isScalar, type Json } from '../values/json-value.ts';

const USUAL = ['items', 'data', 'results', 'values', 'entries', 'records', 'content'];

/** Returns the items of a list response: the body, or its only list; `undefined` when that is not clear. */
export function itemsIn(json: Json, { path }: ApiOperation): readonly Json[] | undefined {
  if (isArray(json)) return json;
  if (!isObject(json)) return undefined;
  const lists = Object.entries(json).filter(([, member]) => isArray(member));
  const collection = path.replace(/\/$/, '').split('/').at(-1) ?? '';
  const [, items] =
    lists.length === 1 ? (lists[0] ?? []) : (lists.find(([name]) => [collection, ...USUAL].includes(name)) ?? []);
  return items !== undefined && isArray(items) ? items : undefined;
}

/** Returns the ids of items: the items themselves, or their first member with one of the names. */
export function itemIds(items: readonly Json[], names: readonly string[]): readonly Json[] {
  return items.flatMap((item) => {
    if (isScalar(item)) return [item];
    if (!isObject(item)) return [];
    const name = names.find((known) => Object.hasOwn(item, known));
    const id = name === undefined ? undefined : item[name];
    return id === undefined || !isScalar(id) ? [] : [id];
  });
}
