import { escapePointer, routeKey } from '@contract-first/contract';
import { basePathsOf, type Document, listOperations } from '../document/document.ts';
import { walkDocument } from '../document/walk.ts';
import type { Diagnostic } from './diagnostic.ts';

/** Returns the reason why clients cannot call a path; `undefined` if they can. */
export function uncallableReason(path: string): string | undefined {
  if (path.includes('#')) return 'clients never send the part after #';
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

// Also `2Xx`.
const LOWER_RANGE = /^[1-5](?:xx|xX|Xx)$/;

/** Renames ranges of statuses in place: OpenAPI has them in upper case only (3.1, 4.8.16.2). */
export function renameRanges(responses: unknown): void {
  const byStatus = Object(responses) as Record<string, unknown>;
  for (const status of Object.keys(byStatus).filter((key) => LOWER_RANGE.test(key))) {
    byStatus[status.toUpperCase()] ??= byStatus[status];
    Reflect.deleteProperty(byStatus, status);
  }
}

/** Warns of ranges of statuses that are not in upper case. Call it with the document as it was read. */
export function findLowerRanges(document: Document): Diagnostic[] {
  const found: Diagnostic[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind !== 'operation') return;
    for (const status of Object.keys(Object(node['responses']) as object).filter((key) => LOWER_RANGE.test(key)))
      found.push({ pointer: `${pointer}/responses/${status}`, message: `read as ${status.toUpperCase()}` });
  });
  return found;
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
