import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Caller, Contract, Operation } from '@contract-first/contract';
import { createAuthenticator } from '../../auth/authenticator.ts';
import { type AuthenticationResult, type Checker, type Credentials, KeysUnavailable } from '../../auth/credentials.ts';
import type { TokenVerifier } from '../../auth/token-verifier.ts';
import type { Step } from '../exchange.ts';
import { Failure, unavailableFailure } from '../failure.ts';
import { countFields } from '../accept/http-rules.ts';
import { decodeCookie, decodePercent, parseCookies, parsePairs, type NameValuePair } from '../read/name-value-pairs.ts';

/** Reads the credentials of a request. The constructor takes the query without the rest of the target. */
class RequestCredentials implements Credentials {
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

export type AuthenticationOptions = {
  readonly contract: Contract;
  /** The application's own checkers, by the name of their security scheme. */
  readonly checkers: Readonly<Record<string, Checker>>;
  readonly tokenVerifier: TokenVerifier;
  /** Whether invalid credentials count as none where they are optional. */
  readonly ignoresInvalidCredentials: boolean;
};

/**
 * Returns a function that creates the step that finds the caller of an operation; `undefined` for a public operation.
 * The step fails with 401 without valid credentials, 403 without the scopes, and 503 while credentials cannot be
 * verified.
 */
export function createAuthentication({
  contract,
  checkers,
  tokenVerifier,
  ignoresInvalidCredentials,
}: AuthenticationOptions): (operation: Operation) => Step | undefined {
  const authenticatorOf = createAuthenticator(
    contract.securitySchemes,
    checkers,
    tokenVerifier,
    ignoresInvalidCredentials,
  );
  return (operation) => {
    if (operation.security.every((requirement) => requirement.length === 0)) return undefined;
    const authenticate = authenticatorOf(operation);
    return (exchange) => {
      const result = authenticate(new RequestCredentials(exchange.req, exchange.query));
      if (result instanceof Promise)
        return result.catch(failWithoutKeys).then((settled) => void (exchange.caller = callerOf(settled)));
      exchange.caller = callerOf(result);
      return undefined;
    };
  };
}

function failWithoutKeys(error: unknown): never {
  throw error instanceof KeysUnavailable ? unavailableFailure() : error;
}

function callerOf(result: AuthenticationResult): Caller | undefined {
  if ('caller' in result) return result.caller;
  const { status, challenge, advice, reason } = result;
  throw new Failure(status, advice, { 'www-authenticate': challenge }, [], reason);
}
