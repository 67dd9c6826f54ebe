import type { IncomingMessage } from 'node:http';
import type { Authenticate } from '../auth/authenticator.ts';
import type { Credentials } from '../auth/credentials.ts';
import type { Caller } from '../contract/caller.ts';
import { KeysUnavailable } from '../auth/key-set.ts';
import { Failure, unavailableFailure } from './failure.ts';
import { decodePercent, parsePairs, type Pair } from './name-value-pairs.ts';

/** Reads credentials from a request. The target's query is already split off. */
export function readCredentials({ headers, rawHeaders }: IncomingMessage, query: string): Credentials {
  const isAuthorization = (name: string, index: number): boolean =>
    index % 2 === 0 && name.length === 13 && name.toLowerCase() === 'authorization';
  const find = (pairs: readonly Pair[], name: string): string | undefined => {
    const pair = pairs.find((other) => other.name === name);
    return pair && decodePercent(pair.value);
  };
  return {
    // Node would ignore all but the first of several headers.
    authorization: rawHeaders.filter(isAuthorization).length === 1 ? headers.authorization : undefined,
    header: (name) =>
      Object.hasOwn(headers, name.toLowerCase()) ? headers[name.toLowerCase()]?.toString() : undefined,
    query: (name) => find(parsePairs(query, '&'), name),
    cookie: (name) => find(parsePairs(headers.cookie ?? '', ';'), name),
  };
}

/**
 * Authenticates a request.
 *
 * @returns the caller; `undefined` for an anonymous request to a public operation
 * @throws {Failure} 401 without valid credentials, 403 without the scopes, 503 when they cannot be verified at the moment
 */
export async function findCaller(authenticate: Authenticate, credentials: Credentials): Promise<Caller | undefined> {
  let result;
  try {
    result = await authenticate(credentials);
  } catch (error) {
    throw error instanceof KeysUnavailable ? unavailableFailure() : error;
  }
  if ('caller' in result) return result.caller;
  const { challenge, reason } = result;
  const headers = { 'www-authenticate': challenge };
  throw result.status === 403
    ? new Failure(403, NO_SCOPE, headers, [], reason)
    : new Failure(401, result.advice, headers, [], reason);
}

const NO_SCOPE = 'the credentials are valid but lack a scope that this operation requires';
