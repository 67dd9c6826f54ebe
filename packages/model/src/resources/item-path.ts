import { memoizeByObject, parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '../operations/api-operation.ts';

/** The path of single resources, such as `/things/{thingId}`, with the operations of the path and of its collection. */
export type ItemPath = {
  /** The path with the base path of the server, without a trailing slash. */
  readonly path: string;
  /** The name of the last parameter, which identifies the resource; empty for a singleton. */
  readonly parameter: string;
  /** The name of the id member, if a correction defines it. */
  readonly id?: string | undefined;
  readonly read: ApiOperation | undefined;
  /** The PUT of the path, or of the collection with the id in the body. */
  readonly replace: ApiOperation | undefined;
  readonly patch: ApiOperation | undefined;
  readonly remove: ApiOperation | undefined;
  readonly list: ApiOperation | undefined;
  /** The operation that creates a resource: a POST to the collection, or a PUT with a documented 201. */
  readonly create: ApiOperation | undefined;
};

/** Finds the paths of single resources, and collections whose resources have no paths. */
export function findItemPaths(operations: readonly ApiOperation[]): readonly ItemPath[] {
  const items = findWithPath(operations);
  const shapes = items.map(({ path }) => shapeOf(path));
  const lists = operations.filter(
    ({ method, path }) => method === 'GET' && /[^/{}]\/?$/.test(path) && !shapes.includes(`${shapeOf(path)}/{}`),
  );
  const none = { read: undefined, replace: undefined, patch: undefined, remove: undefined, create: undefined };
  return [
    ...items,
    ...lists.map((list) => ({ ...none, list, path: `${list.path.replace(/\/$/, '')}/{id}`, parameter: 'id' })),
  ];
}

function findWithPath(operations: readonly ApiOperation[]): readonly ItemPath[] {
  const paths = operations.map(({ path }) => path).filter((path) => /[^/{}]\/\{[^{}/]+\}\/?$/.test(path));
  const byShape = new Map(paths.map((path) => [shapeOf(path), path]));
  return [...byShape.values()].map((path) => itemAt(path, [collectionOf(path)], operations));
}

/**
 * Returns the item path with its operations.
 *
 * @param collections the possible paths of the collection; for each operation, the first path with it is used
 */
export function itemAt(path: string, collections: readonly string[], operations: readonly ApiOperation[]): ItemPath {
  const find = (method: string, at: string): ApiOperation | undefined =>
    operationsByRoute(operations).get(routeOf(method, at));
  const findFirst = (method: string): ApiOperation | undefined =>
    collections.map((collection) => find(method, collection)).find((operation) => operation !== undefined);
  const replace = find('PUT', path);
  return {
    path: path.replace(/\/$/, ''),
    parameter: parameterNames(path).at(-1) ?? '',
    read: find('GET', path),
    replace,
    patch: find('PATCH', path),
    remove: find('DELETE', path),
    list: findFirst('GET'),
    create: findFirst('POST') ?? (replace?.responses[201] !== undefined ? replace : undefined),
  };
}

/** Returns the first operation of each method and path shape. */
const operationsByRoute = memoizeByObject(
  (operations: readonly ApiOperation[]): ReadonlyMap<string, ApiOperation> =>
    new Map(operations.map((operation) => [routeOf(operation.method, operation.path), operation] as const).reverse()),
);

function routeOf(method: string, path: string): string {
  return `${method} ${shapeOf(path)}`;
}

/** Returns a path without its last segment. */
export function collectionOf(path: string): string {
  return path.slice(0, path.replace(/\/$/, '').lastIndexOf('/'));
}

/** Finds the paths of singletons, which can be read and changed, such as `/settings`. */
export function findSingletonPaths(operations: readonly ApiOperation[]): readonly ItemPath[] {
  return operations
    .filter(({ method, path }) => method === 'GET' && !/\}\/?$/.test(path))
    .map(({ path }) => singletonAt(path, operations))
    .filter(({ replace, patch }) => replace !== undefined || patch !== undefined);
}

/** Returns the singleton of a path with its operations. */
export function singletonAt(path: string, operations: readonly ApiOperation[]): ItemPath {
  return { ...itemAt(path, [], operations), path, parameter: '', create: undefined };
}

/** Returns the longest item path that a path begins with and that satisfies a condition. */
export function innermostItem(
  items: readonly ItemPath[],
  path: string,
  isWanted: (item: ItemPath) => boolean,
): ItemPath | undefined {
  const shape = `${shapeOf(path)}/`;
  const found = items.filter((item) => shape.startsWith(`${shapeOf(item.path)}/`) && isWanted(item));
  return found.sort((one, other) => other.path.length - one.path.length)[0];
}

/** Returns a path template without parameter names, so that `/a/{b}` and `/a/{c}/` are equal. */
export function shapeOf(path: string): string {
  return path.replaceAll(/\{[^}]+\}/g, '{}').replace(/\/$/, '');
}
