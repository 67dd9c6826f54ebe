import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { Operation } from '../contract/operation.ts';
import { Failure } from './failure.ts';

/**
 * Finds the operation for a method and a path (without a query). Paths are compared exactly: neither case nor a
 * trailing slash is forgiven.
 *
 * @throws {Failure} 404 when the contract does not have the path, 405 when it has it with other methods
 */
export type Router = (method: string, path: string) => Operation;

/** Makes the router from the generated table; it is the only route table there is. */
export function createRouter(operations: Readonly<Record<string, Operation>>): Router {
  const tree = findMyWay({ caseSensitive: true, ignoreTrailingSlash: false, ignoreDuplicateSlashes: false });
  const methods = new Set<HTTPMethod>();
  for (const operation of Object.values(operations)) {
    const method = operation.method as HTTPMethod; // The generator takes no method that Node does not know.
    methods.add(method);
    tree.on(method, operation.path, () => undefined, operation);
  }
  const find = (method: string, path: string): Operation | undefined =>
    (tree.find(method as HTTPMethod, path)?.store as Operation | null | undefined) ?? undefined;

  return (method, path) => {
    const operation = find(method, path);
    if (operation !== undefined) return operation;
    const allowed = [...methods].filter((other) => find(other, path) !== undefined).join(', ');
    if (allowed === '') throw new Failure(404, 'there is nothing at this path');
    throw new Failure(405, `this path can be used with ${allowed} only`, { Allow: allowed });
  };
}
