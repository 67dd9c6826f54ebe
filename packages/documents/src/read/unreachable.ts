import { escapePointer, routeKey } from '@contract-first/contract';
import { basePathsOf, type Document, listOperations } from '../document/document.ts';
import type { Diagnostic } from './diagnostic.ts';

/** Returns the reason why clients cannot call a path; `undefined` if they can. */
export function uncallableReason(path: string): string | undefined {
  if (path.includes('#')) return 'what follows # is never sent';
  return path.includes('?') ? 'a query is not part of the path; describe its parameters in query' : undefined;
}

/** Warns of paths that are not served. Requires the document before normalization. */
export function findUncallable(document: Document): Diagnostic[] {
  return Object.keys(document.paths ?? {}).flatMap((path) => {
    const reason = uncallableReason(path);
    return reason === undefined
      ? []
      : [
          {
            pointer: `#/paths/${escapePointer(path)}`,
            message: `no client can call this path, so it is not served: ${reason}`,
          },
        ];
  });
}

/**
 * Removes unreachable operations, in place: an earlier operation has the same method and path, apart from parameter
 * names.
 *
 * @returns a warning for each removed operation
 */
export function removeDuplicateRoutes(document: Document): Diagnostic[] {
  const paths = new Map<string, string>();
  return listOperations(document).flatMap(({ method, path, object, pathItem, pointer }) => {
    const { basePaths } = basePathsOf(object.servers ?? pathItem.servers ?? document.servers) ?? { basePaths: [''] };
    const routes = basePaths.map((basePath) => `${method} ${routeKey(basePath + path)}`);
    const [first] = routes.map((route) => paths.get(route));
    const isReached = routes.some((route) => !paths.has(route));
    for (const route of routes) paths.set(route, paths.get(route) ?? path);
    if (isReached) return [];
    Reflect.deleteProperty(pathItem, method.toLowerCase());
    Reflect.deleteProperty(pathItem.additionalOperations ?? {}, method);
    const message = `not served, since ${method} ${String(first)} matches the same requests: remove one`;
    return [{ pointer, message }];
  });
}
