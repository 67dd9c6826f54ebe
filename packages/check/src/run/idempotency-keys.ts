import { randomUUID } from 'node:crypto';
import { type ApiOperation, headerParameter } from '@contract-first/model/operations';
import type { WireRequest } from '@contract-first/model/requests';
import { type Oracle, uuidOf } from '@contract-first/model/values';

/** The lower-case header name. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/** Returns a request with an idempotency key of its own. */
export type WithOwnKey = (operation: ApiOperation, request: WireRequest) => WireRequest;

/**
 * Creates a function that replaces valid idempotency keys. Different requests get different keys, since servers reject a
 * reused key with different data (draft-ietf-httpapi-idempotency-key-header, 2.7). Equal requests keep equal keys, but
 * only within a run: a server that remembers an earlier run with the same seed would repeat its responses.
 */
export function createKeys({ allows }: Pick<Oracle, 'allows'>): WithOwnKey {
  const runId = randomUUID();
  return (operation, request) => {
    const parameter = headerParameter(operation, IDEMPOTENCY_KEY);
    const index = request.headers.findIndex(([name]) => name.toLowerCase() === IDEMPOTENCY_KEY);
    const [name, key] = request.headers[index] ?? [];
    if (parameter === undefined || name === undefined || key === undefined) return request;
    const { method, target, body } = request;
    const own = uuidOf(JSON.stringify([runId, key, method, target, body?.toString('latin1')]));
    const isReplaced = [key, own].every((value) => allows(parameter.schema, value)); // An invalid key stays invalid.
    return isReplaced ? { ...request, headers: request.headers.with(index, [name, own]) } : request;
  };
}
