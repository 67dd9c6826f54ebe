import type { ApiOperation } from '../operations/api-operation.ts';
import { isArray, isObject, isScalar, partAt, type Json } from '../values/json-value.ts';

const USUAL = ['items', 'data', 'results', 'values', 'entries', 'records', 'content'];

/** Returns the items of a list response: the body, or its only list; `undefined` when that is not clear. */
export function itemsIn(json: Json, operation: ApiOperation): readonly Json[] | undefined {
  const place = itemsPlace(json, operation);
  const items = place === undefined ? null : partAt(json, place);
  return isArray(items) ? items : undefined;
}

/** Returns the place of the items in a list response; `undefined` when it is not clear. */
export function itemsPlace(json: Json, { path }: ApiOperation): readonly string[] | undefined {
  if (isArray(json)) return [];
  if (!isObject(json)) return undefined;
  const lists = Object.entries(json).filter(([, member]) => isArray(member));
  const collection = path.replace(/\/$/, '').split('/').at(-1) ?? '';
  const [name] = (lists.length === 1 ? lists[0] : lists.find(([name]) => [collection, ...USUAL].includes(name))) ?? [];
  return name === undefined ? undefined : [name];
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
