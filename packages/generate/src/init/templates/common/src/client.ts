import createClient, { type Client, type ClientOptions } from 'openapi-fetch';
import { stringifyJson } from '@contract-first/engine';
import type { Paths } from './NAME/contract.ts';

/**
 * Creates a client whose requests and responses have the types of the document.
 *
 * @param options the address of the service as `baseUrl`, and headers such as `Authorization`
 */
export function createServiceClient(options: ClientOptions): Client<Paths> {
  return createClient<Paths>({ bodySerializer: serializeBody, ...options });
}

/**
 * Serializes JSON, in which an int64 is a bigint. Leaves `FormData` and files as they are. For URL-encoded forms, pass
 * another `bodySerializer` to the request.
 */
function serializeBody(body: unknown): unknown {
  return body instanceof FormData || body instanceof URLSearchParams || body instanceof Blob
    ? body
    : stringifyJson(body);
}
