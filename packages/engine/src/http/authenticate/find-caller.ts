import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Authenticate } from '../../auth/authenticator.ts';
import type { AuthenticationResult, Credentials } from '../../auth/credentials.ts';
import type { Caller } from '@contract-first/contract';
import { KeysUnavailable } from '../../auth/key-set.ts';
import { Failure, unavailableFailure } from '../failure.ts';
import { countFields } from '../accept/http-rules.ts';
import { decodeCookie, decodePercent, parseCookies, parsePairs, type NameValuePair } from '../read/name-value-pairs.ts';

/** Reads the credentials of a request. The constructor takes the query without the rest of the target. */
export class RequestCredentials implements Credentials {
  readonly authorization: string | undefined;
  readonly #headers: IncomingHttpHeaders;
  readonly #query: string;

  constructor(req: IncomingMessage, query: string) {
    this.#headers = req.headers;
    this.#query = query;
    // Node keeps only the first of several Authorization headers.
    this.authorization = countFields(req, 'authorization') === 1 ? req.headers.authorization : undefined;
  }

  header(name: string): string | undefined {
    const field = name.toLowerCase();
    return Object.hasOwn(this.#headers, field) ? this.#headers[field]?.toString() : undefined;
  }

  query(name: string): string | undefined {
    const value = find(parsePairs(this.#query), name);
    return value && decodePercent(value);
  }

  cookie(name: string): string | undefined {
    const value = find(parseCookies(this.#headers.cookie ?? ''), name);
    return value && decodeCookie(value);
  }
}

function find(pairs: readonly NameValuePair[], name: string): string | undefined {
  return pairs.find((pair) => pair.name === name)?.value;
}

/**
 * Authenticates a request.
 *
 * @returns the caller; `undefined` for an anonymous request to a public operation
 * @throws {Failure} 401 without valid credentials, 403 without the scopes, 503 while credentials cannot be verified
 */
export function findCaller(
  authenticate: Authenticate,
  credentials: Credentials,
): Caller | undefined | Promise<Caller | undefined> {
  const result = authenticate(credentials);
  return result instanceof Promise ? result.catch(failWithoutKeys).then(callerOf) : callerOf(result);
}

function failWithoutKeys(error: unknown): never {
  throw error instanceof KeysUnavailable ? unavailableFailure() : error;
}

function callerOf(result: AuthenticationResult): Caller | undefined {
  if ('caller' in result) return result.caller;
  const { status, challenge, advice, reason } = result;
  throw new Failure(status, advice, { 'www-authenticate': challenge }, [], reason);
}
