import { type ApiOperation, headerParameter } from '@contract-first/model/operations';
import type { WireRequest } from '@contract-first/model/requests';
import { type Oracle, uuidOf } from '@contract-first/model/values';

/** The name of the header, in lower case. */
export const IDEMPOTENCY_KEY = 'idempotency-key';

/** Returns a request with an idempotency key of its own. */
export type WithOwnKey = (operation: ApiOperation, request: WireRequest) => WireRequest;

/**
 * Creates a function that changes the idempotency key of a request whose key another request had: servers reject a key that comes
 * with other data (draft-ietf-httpapi-idempotency-key-header, 2.7). The same request gets the same key.
 */
export function createKeys({ allows }: Pick<Oracle, 'allows'>): WithOwnKey {
  const keys = new Map<string, string>(); // The own key of the first request with a key.
  return (operation, request) => {
    const parameter = headerParameter(operation, IDEMPOTENCY_KEY);
    const index = request.headers.findIndex(([name]) => name.toLowerCase() === IDEMPOTENCY_KEY);
    const [name, key] = request.headers[index] ?? [];
    if (parameter === undefined || name === undefined || key === undefined) return request;
    const own = uuidOf(JSON.stringify([request.method, request.target, request.body?.toString('latin1')]));
    const first = keys.get(key) ?? own;
    keys.set(key, first);
    const isWrong = !allows(parameter.schema, key) || !allows(parameter.schema, own); // A wrong key stays wrong.
    return first === own || isWrong ? request : { ...request, headers: request.headers.with(index, [name, own]) };
  };
}
