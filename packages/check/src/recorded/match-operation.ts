import type { ApiOperation } from '@contract-first/model/operations';
import type { WireRequest } from '@contract-first/model/requests';

/** The operation of a request. */
export type Match = {
  readonly operation: ApiOperation;
  /** The path template that the request fits, with the base path of one of the servers. */
  readonly path: string;
  /** Whether the document has the method of the request for this path. */
  readonly hasMethod: boolean;
};

/** Finds the operation of a request: that of the most specific path with its method. Without one, any of the path. */
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

/** Orders path templates: literal segments come before those with parameters, and more literal text before less. */
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
