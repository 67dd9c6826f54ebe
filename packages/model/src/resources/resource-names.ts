import { snakeCase } from '../values/snake-case.ts';
import type { ItemPath } from './item-path.ts';

const KEY = /^(?:(.+)_)?(id|uuid|guid|gid|sid|identifier|key|slug|code|number)$/;
// Resources with a parameter of this name often have a member `id`.
const IDENTIFIERS = ['uuid', 'guid', 'gid', 'identifier', 'key'];

/** Lists the possible names of a resource's id member, most specific first; or only the name in a correction. */
export function memberNames(item: Pick<ItemPath, 'path' | 'parameter' | 'id'>): readonly string[] {
  const { parameter, id } = item;
  if (id !== undefined) return [id];
  const snake = snakeCase(parameter);
  const camel = snake.replaceAll(/_(\w)/g, (_whole, letter: string) => letter.toUpperCase());
  const [, , key] = KEY.exec(snake) ?? [];
  const own = key === undefined ? [] : [key];
  // In `/accounts/{account}`, the parameter is the id of an account.
  const isPlain =
    key === undefined ? resourceNames(item).includes(snake) || snake.endsWith('id') : IDENTIFIERS.includes(key);
  return [...new Set([parameter, camel, snake, ...own, ...(isPlain ? ['id'] : [])])];
}

/**
 * Lists the possible singular names of a path's resources, in snake case: `box`, `boxe` and `boxes` for `/boxes/{id}`.
 */
export function resourceNames({ path }: Pick<ItemPath, 'path'>): readonly string[] {
  const collection = snakeCase(path.split('/').at(-2) ?? '');
  return [collection, collection.replace(/s$/, ''), collection.replace(/es$/, ''), collection.replace(/ies$/, 'y')];
}

/** Returns whether a name refers to the resources of a path: `bookId` and `book_id` for `/books/{id}`. */
export function isNamedFor(name: string, item: ItemPath): boolean {
  const [, resource, key] = KEY.exec(snakeCase(name)) ?? [];
  if (resource === undefined) return false;
  if (snakeCase(item.parameter) === snakeCase(name)) return true;
  const [, , ownKey = 'id'] = KEY.exec(snakeCase(item.parameter)) ?? [];
  return key === ownKey && resourceNames(item).includes(resource);
}
