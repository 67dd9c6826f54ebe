import type { Operation, SecurityScheme } from '../contract/operation.ts';
import { createApiKeyChecker } from './api-key.ts';
import { createBearerChecker } from './bearer.ts';
import { canCheck } from './checkable.ts';
import type { Checker, Credentials, Verdict } from './credentials.ts';
import type { Identity } from './identity.ts';

/**
 * Checks the security requirements of an operation: one of them must be satisfied, if there are any. Where several
 * schemes are required together, the caller is the one of the first.
 *
 * @returns a caller that is `undefined` when the operation is open and no credentials that it takes were sent; rejects
 *   with `KeysUnavailable` when it cannot be told now who the client is
 */
export type Authenticate = (operation: Operation, credentials: Credentials) => Promise<Verdict<string | undefined>>;

/**
 * Makes the authenticator for the security schemes of the contract.
 *
 * @throws {Error} when there is no checker for one of them: an operation must never be open because of that
 */
export function createAuthenticator(
  schemes: Readonly<Record<string, SecurityScheme>>,
  identity: Identity,
): Authenticate {
  const checkers = new Map<string, Checker>();
  for (const [name, scheme] of Object.entries(schemes)) {
    if (!canCheck(scheme)) throw new Error(`no checker for the security scheme ${name}`);
    const isApiKey = scheme.type === 'apiKey';
    checkers.set(name, isApiKey ? createApiKeyChecker(name, scheme, identity) : createBearerChecker(name, identity));
  }

  return async ({ security }, credentials) => {
    const isOpen = security.length === 0 || security.some((names) => names.length === 0);
    let verdict: Verdict<string | undefined> = { caller: undefined };
    for (const [first, ...others] of security) {
      if (first === undefined) continue;
      verdict = await (others.length === 0 ? check(first, credentials) : checkAll(first, others, credentials));
      if ('caller' in verdict) return verdict;
    }
    return isOpen ? { caller: undefined } : verdict;
  };

  async function checkAll(first: string, others: readonly string[], credentials: Credentials): Promise<Verdict> {
    const verdict = await check(first, credentials);
    for (const name of others) {
      if ('challenge' in verdict) break;
      const other = await check(name, credentials);
      if ('challenge' in other) return other;
    }
    return verdict;
  }

  function check(name: string, credentials: Credentials): Verdict | Promise<Verdict> {
    const checker = checkers.get(name);
    if (checker === undefined) throw new Error(`the security scheme ${name} is not in the contract`);
    return checker(credentials);
  }
}
