import type { Operation, SecurityScheme } from '../contract/operation.ts';
import { createBearerChecker, type Checker } from './bearer.ts';
import { canCheck } from './checkable.ts';

/**
 * Checks the security requirements of an operation.
 *
 * @returns `undefined` when one of them is satisfied, or when there are none; else the challenge for WWW-Authenticate
 */
export type Authenticate = (operation: Operation, authorization: string | undefined) => Promise<string | undefined>;

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
    checkers.set(name, createBearerChecker(name, isKnownToken));
  }

  return async ({ security }, authorization) => {
    let challenge;
    for (const requirement of security) {
      challenge = await checkAll(requirement, authorization);
      if (challenge === undefined) return undefined;
    }
    return challenge;
  };

  async function checkAll(names: readonly string[], authorization: string | undefined): Promise<string | undefined> {
    for (const name of names) {
      const check = checkers.get(name);
      if (check === undefined) throw new Error(`the security scheme ${name} is not in the contract`);
      const challenge = await check(authorization);
      if (challenge !== undefined) return challenge;
    }
    return undefined;
  }
}
