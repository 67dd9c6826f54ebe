import type { Operation, SecurityScheme } from '../contract/operation.ts';
import { createApiKeyChecker } from './api-key.ts';
import { createBearerChecker } from './bearer.ts';
import { canCheck } from './checkable.ts';
import type { Checker, Credentials } from './credentials.ts';

/**
 * Checks the security requirements of an operation.
 *
 * @returns `undefined` when one of them is satisfied, or when there are none; else the challenge for WWW-Authenticate
 */
export type Authenticate = (operation: Operation, credentials: Credentials) => Promise<string | undefined>;

/**
 * Makes the authenticator for the security schemes of the contract.
 *
 * @throws {Error} when there is no checker for one of them: an operation must never be open because of that
 */
export function createAuthenticator(
  schemes: Readonly<Record<string, SecurityScheme>>,
  isKnownToken: (token: string) => boolean,
): Authenticate {
  const checkers = new Map<string, Checker>();
  for (const [name, scheme] of Object.entries(schemes)) {
    if (!canCheck(scheme)) throw new Error(`no checker for the security scheme ${name}`);
    const isApiKey = scheme.type === 'apiKey';
    const checker = isApiKey
      ? createApiKeyChecker(name, scheme, isKnownToken)
      : createBearerChecker(name, isKnownToken);
    checkers.set(name, checker);
  }

  return async ({ security }, credentials) => {
    let challenge;
    for (const requirement of security) {
      challenge = await checkAll(requirement, credentials);
      if (challenge === undefined) return undefined;
    }
    return challenge;
  };

  async function checkAll(names: readonly string[], credentials: Credentials): Promise<string | undefined> {
    for (const name of names) {
      const check = checkers.get(name);
      if (check === undefined) throw new Error(`the security scheme ${name} is not in the contract`);
      const challenge = await check(credentials);
      if (challenge !== undefined) return challenge;
    }
    return undefined;
  }
}
