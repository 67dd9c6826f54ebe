import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import type { Checker } from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

type Middleware = (req: unknown, res: unknown, next: (error: unknown) => void) => void;

/** A checker for a security scheme of type `http`, scheme `bearer`, by Passport. */
export function createBearerChecker(schemeName: string, { byBearerToken }: TokenVerifier): Checker {
  const authenticator = new passport.Passport();
  const verify = (token: string, done: (error: unknown, caller?: string | false) => void): void => {
    const found = byBearerToken(token);
    if (typeof found === 'object')
      found.then((caller) => {
        done(null, caller ?? false);
      }, done);
    else done(null, found ?? false);
  };
  authenticator.use(schemeName, new Strategy({ realm: schemeName }, verify));

  return ({ authorization }) =>
    new Promise((resolve, reject) => {
      // The strategy would also take a token from a body or a query: it is shown nothing but the one header. It wants
      // exactly one space in it; RFC 9110, 11.6.2, allows more.
      const view = { headers: { authorization: authorization?.replace(/ +/, ' ') } };
      const verdict = (error: Error | null, caller: unknown, challenge: unknown): void => {
        if (error !== null) reject(error);
        else if (typeof caller === 'string') resolve({ caller });
        else resolve({ challenge: typeof challenge === 'string' ? challenge : `Bearer realm="${schemeName}"` });
      };
      const authenticate = authenticator.authenticate(schemeName, { session: false }, verdict) as Middleware;
      authenticate(view, undefined, reject);
    });
}
