import type { ApiOperation, Parameter } from '../../operations/api-operation.ts';
import type { WireRequest } from '../../requests/wire-request.ts';
import type { Oracle } from '../../values/oracle.ts';
import { uuidOf } from '../../values/uuid.ts';

const NAME = 'idempotency-key';

/** Returns the header with the key that makes the requests of an operation repeatable, if the document has it. */
export function findIdempotencyKey({ parameters }: ApiOperation): Parameter | undefined {
  return parameters.find(({ in: place, name }) => place === 'header' && name.toLowerCase() === NAME);
}

/** Returns a request with an idempotency key of its own. */
export type WithOwnKey = (operation: ApiOperation, request: WireRequest) => WireRequest;

/**
 * Creates a function that changes the idempotency key of a request whose key another request had: servers reject a key that comes
 * with other data (draft-ietf-httpapi-idempotency-key-header, 2.7). The same request gets the same key.
 */
export function createKeys({ allows }: Pick<Oracle, 'allows'>): WithOwnKey {
  const requests = new Map<string, string>();
  return (operation, request) => {
    const parameter = findIdempotencyKey(operation);
    const index = request.headers.findIndex(([name]) => name.toLowerCase() === NAME);
    const [name, key] = request.headers[index] ?? [];
    if (parameter === undefined || name === undefined || key === undefined) return request;
    const text = JSON.stringify([request.method, request.target, request.body?.toString('latin1')]);
    const first = requests.get(key) ?? text;
    requests.set(key, first);
    const own = uuidOf(text);
    const isWrong = !allows(parameter.schema, key) || !allows(parameter.schema, own); // A wrong key stays wrong.
    return first === text || isWrong ? request : { ...request, headers: request.headers.with(index, [name, own]) };
  };
}
