import type { ApiOperation } from '@contract-first/model/operations';
import type { WireRequest } from '@contract-first/model/requests';

/** The operation that matches a request. */
export type Match = {
  readonly operation: ApiOperation;
  /** The path template that matches the request, with the base path of a server. */
  readonly path: string;
  /** Whether the document has the request's method for this path. */
  readonly hasMethod: boolean;
};

/** Finds the operation with the most specific path and the request's method, or else any operation of the path. */
export function matchOperation(
  operations: readonly ApiOperation[],
  { method, target }: WireRequest,
): Match | undefined {
  const [requestPath = ''] = target.split('?');
  const matches = operations
    .flatMap((operation) =>
      operation.paths
        .filter(({ pattern }) => pattern.test(requestPath))
        .map(({ path }): Match => ({ operation, path, hasMethod: operation.method === method })),
    )
    .sort((one, other) => bySpecificity(one.path, other.path));
  const ofHead = method === 'HEAD' ? matches.find(({ operation }) => operation.method === 'GET') : undefined;
  return matches.find(({ hasMethod }) => hasMethod) ?? ofHead ?? matches[0];
}

/** Compares path templates by specificity: segments without parameters first, then segments with more literal text. */
function bySpecificity(one: string, other: string): number {
  const [segments, others] = [one.split('/'), other.split('/')];
  for (const [index, segment] of segments.entries()) {
    const difference = rankOf(segment) - rankOf(others[index] ?? '');
    if (difference !== 0) return difference;
  }
  return 0;
}

function rankOf(segment: string): number {
  const literal = segment.replaceAll(/\{[^}]+\}/g, '');
  return literal === segment ? Number.MIN_SAFE_INTEGER : -literal.length;
}
