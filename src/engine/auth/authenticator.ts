import type { Operation, SecurityScheme } from '../contract/operation.ts';
import { createApiKeyChecker } from './api-key.ts';
import { createBearerChecker } from './bearer.ts';
import { canCheck } from './checkable.ts';
import type { Checker, Credentials, Verdict } from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

/**
 * Checks the security requirements of one operation: one of them must be satisfied, if there are any. Where several
 * schemes are required together, the caller is the one of the first.
 *
 * @returns a caller that is `undefined` when the operation is open and no credentials that it takes were sent; rejects
 *   with `KeysUnavailable` when it cannot be told now who the client is
 */
export type Authenticate = (
  credentials: Credentials,
) => Verdict<string | undefined> | Promise<Verdict<string | undefined>>;

/**
 * Makes what authenticates the requests to an operation, for the security schemes of the contract.
 *
 * @throws {Error} when there is no checker for one of them: an operation must never be open because of that
 */
export function createAuthenticator(
  schemes: Readonly<Record<string, SecurityScheme>>,
  tokenVerifier: TokenVerifier,
): (operation: Operation) => Authenticate {
  const checkers = new Map<string, Checker>();
  for (const [name, scheme] of Object.entries(schemes)) {
    if (!canCheck(scheme)) throw new Error(`no checker for the security scheme ${name}`);
    const isApiKey = scheme.type === 'apiKey';
    checkers.set(
      name,
      isApiKey ? createApiKeyChecker(name, scheme, tokenVerifier) : createBearerChecker(name, tokenVerifier),
    );
  }

  return ({ security }) => {
    const isOpen = security.length === 0 || security.some((names) => names.length === 0);
    const requirements = security.flatMap(([first, ...others]) =>
      first === undefined ? [] : together(checkerOf(first), others.map(checkerOf)),
    );
    const [only] = requirements;
    if (!isOpen && only !== undefined && requirements.length === 1) return only;
    return async (credentials) => {
      let verdict: Verdict<string | undefined> = { caller: undefined };
      for (const check of requirements) {
        verdict = await check(credentials);
        if ('caller' in verdict) return verdict;
      }
      return isOpen ? { caller: undefined } : verdict;
    };
  };

  function checkerOf(name: string): Checker {
    const checker = checkers.get(name);
    if (checker === undefined) throw new Error(`the security scheme ${name} is not in the contract`);
    return checker;
  }
}

/** One checker for schemes that are required together. */
function together(first: Checker, others: readonly Checker[]): Checker {
  if (others.length === 0) return first;
  return async (credentials) => {
    const verdict = await first(credentials);
    for (const check of others) {
      if ('challenge' in verdict) break;
      const other = await check(credentials);
      if ('challenge' in other) return other;
    }
    return verdict;
  };
}
