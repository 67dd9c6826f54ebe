import type { ApiOperation } from '../operations/api-operation.ts';
import { isArray, isObject, isScalar, partAt, type Json } from '../values/json-value.ts';

/** The maximum depth of objects around the items of a list. */
const MAX_DEPTH = 1;
const USUAL = ['items', 'data', 'results', 'values', 'entries', 'records', 'content'];

/** Returns the items of a list response: the body itself or its only list; `undefined` if ambiguous. */
export function itemsIn(json: Json, operation: ApiOperation): readonly Json[] | undefined {
  const place = itemsPlace(json, operation);
  const items = place === undefined ? null : partAt(json, place);
  return isArray(items) ? items : undefined;
}

/** Returns the place of the items in a list response, such as `data` or `_embedded/books`; `undefined` if ambiguous. */
export function itemsPlace(json: Json, operation: ApiOperation, depth = 0): readonly string[] | undefined {
  if (isArray(json)) return [];
  if (!isObject(json) || depth > MAX_DEPTH) return undefined;
  const all = Object.entries(json).filter(([, member]) => isArray(member));
  const ofObjects = all.filter(([, member]) => isArray(member) && member.every(isObject));
  const collection = operation.path.replace(/\/$/, '').split('/').at(-1) ?? '';
  const [name] =
    (ofObjects.length === 1 ? ofObjects[0] : all.find(([name]) => [collection, ...USUAL].includes(name))) ?? [];
  if (name !== undefined) return [name];
  const inner = Object.entries(json).flatMap(([name, member]) => {
    const place = isObject(member) ? itemsPlace(member, operation, depth + 1) : undefined;
    return place === undefined ? [] : [[name, ...place]];
  });
  if (inner.length === 1) return inner[0];
  return all.length === 1 ? all.map(([name]) => name) : undefined;
}

/** Returns the ids of items: scalar items themselves, or the first member with one of the names. */
export function itemIds(items: readonly Json[], names: readonly string[]): readonly Json[] {
  return items.flatMap((item) => {
    if (isScalar(item)) return [item];
    if (!isObject(item)) return [];
    const name = names.find((known) => Object.hasOwn(item, known));
    const id = name === undefined ? undefined : item[name];
    return id === undefined || !isScalar(id) ? [] : [id];
  });
}
