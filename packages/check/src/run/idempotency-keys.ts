import { type ApiOperation, headerParameter } from '@contract-first/model/operations';
import type { WireRequest } from '@contract-first/model/requests';
import { type Oracle, uuidOf } from '@contract-first/model/values';

/** The lower-case header name. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/** Returns a request with a unique idempotency key. */
export type WithOwnKey = (operation: ApiOperation, request: WireRequest) => WireRequest;

/**
 * Creates a function that replaces the idempotency key of a request if a different request has used the key, since
 * servers reject a reused key with different data (draft-ietf-httpapi-idempotency-key-header, 2.7). Equal requests keep
 * equal keys.
 */
export function createKeys({ allows }: Pick<Oracle, 'allows'>): WithOwnKey {
  const keys = new Map<string, string>(); // For each key, the unique key of the first request that used it.
  return (operation, request) => {
    const parameter = headerParameter(operation, IDEMPOTENCY_KEY);
    const index = request.headers.findIndex(([name]) => name.toLowerCase() === IDEMPOTENCY_KEY);
    const [name, key] = request.headers[index] ?? [];
    if (parameter === undefined || name === undefined || key === undefined) return request;
    const own = uuidOf(JSON.stringify([request.method, request.target, request.body?.toString('latin1')]));
    const first = keys.get(key) ?? own;
    keys.set(key, first);
    const isWrong = !allows(parameter.schema, key) || !allows(parameter.schema, own); // An invalid key stays invalid.
    return first === own || isWrong ? request : { ...request, headers: request.headers.with(index, [name, own]) };
  };
}
