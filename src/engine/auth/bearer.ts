import passport from 'passport';
import { Strategy } from 'passport-http-bearer';
import type { Identity } from '../contract/caller.ts';
import type { Checker } from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

type Middleware = (req: unknown, res: unknown, next: (error: unknown) => void) => void;

/** Creates the checker for a security scheme whose credentials are bearer tokens, with Passport. */
export function createBearerChecker(schemeName: string, { verifyBearerToken }: TokenVerifier): Checker {
  const authenticator = new passport.Passport();
  const verify = (token: string, done: (error: unknown, identity?: Identity | false) => void): void => {
    const result = verifyBearerToken(token);
    if (result instanceof Promise)
      result.then((identity) => {
        done(null, identity ?? false);
      }, done);
    else done(null, result ?? false);
  };
  authenticator.use(schemeName, new Strategy({ realm: schemeName }, verify));

  return ({ authorization }) =>
    new Promise((resolve, reject) => {
      // The strategy also accepts tokens from the body and the query, so it gets only the header. It requires exactly
      // one space after `Bearer`; RFC 9110, 11.6.2, allows more.
      const request = { headers: { authorization: authorization?.replace(/ +/, ' ') } };
      const settle = (error: Error | null, identity: Identity | false | undefined): void => {
        if (error !== null) reject(error);
        else resolve(identity === false ? undefined : identity);
      };
      const authenticate = authenticator.authenticate(schemeName, { session: false }, settle) as Middleware;
      authenticate(request, undefined, reject);
    });
}
