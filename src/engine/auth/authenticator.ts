import type { Operation, SecurityScheme } from '../contract/operation.ts';
import { createApiKeyChecker } from './api-key.ts';
import { createBearerChecker } from './bearer.ts';
import { checkerKindOf } from './supported-scheme.ts';
import type { Checker, Credentials, AuthenticationResult } from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

/**
 * Checks the security requirements of one operation; one of them must be satisfied. Where a requirement combines several
 * schemes, the first one determines the caller.
 *
 * @returns the caller, `undefined` when the operation is public and no valid credentials were sent; or a challenge.
 *   Rejects with `KeysUnavailable` when the credentials cannot be verified at the moment
 */
export type Authenticate = (
  credentials: Credentials,
) => AuthenticationResult<string | undefined> | Promise<AuthenticationResult<string | undefined>>;

/**
 * Creates an authenticator for each operation from the security schemes of the contract.
 *
 * @throws {Error} when a scheme is not supported: ignoring it would make its operations public
 */
export function createAuthenticator(
  schemes: Readonly<Record<string, SecurityScheme>>,
  tokenVerifier: TokenVerifier,
): (operation: Operation) => Authenticate {
  const checkers = new Map<string, Checker>();
  for (const [name, scheme] of Object.entries(schemes)) {
    const kind = checkerKindOf(scheme);
    if (kind === 'apiKey') checkers.set(name, createApiKeyChecker(name, scheme, tokenVerifier));
    else if (kind === 'bearer') checkers.set(name, createBearerChecker(name, tokenVerifier));
    else throw new Error(`the security scheme ${name} is not supported`);
  }

  return ({ security }) => {
    const isOpen = security.length === 0 || security.some((names) => names.length === 0);
    const requirements = security.flatMap(([first, ...others]) =>
      first === undefined ? [] : requireAll(checkerOf(first), others.map(checkerOf)),
    );
    const [only] = requirements;
    if (!isOpen && only !== undefined && requirements.length === 1) return only;
    return async (credentials) => {
      let result: AuthenticationResult<string | undefined> = { caller: undefined };
      for (const check of requirements) {
        result = await check(credentials);
        if ('caller' in result) return result;
      }
      return isOpen ? { caller: undefined } : result;
    };
  };

  function checkerOf(name: string): Checker {
    const checker = checkers.get(name);
    if (checker === undefined) throw new Error(`the security scheme ${name} is not in the contract`);
    return checker;
  }
}

/** Combines the checkers of schemes that are required together. */
function requireAll(first: Checker, others: readonly Checker[]): Checker {
  if (others.length === 0) return first;
  return async (credentials) => {
    const result = await first(credentials);
    for (const check of others) {
      if ('challenge' in result) break;
      const other = await check(credentials);
      if ('challenge' in other) return other;
    }
    return result;
  };
}
