import passport from 'passport';
import { Strategy, type VerifyFunctionWithRequest } from 'passport-http-bearer';
import type { Identity } from '../contract/caller.ts';
import type { ExplainingChecker, Refusal } from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** The part of a request that the strategy gets, and the refusal of its token. */
type BearerRequest = { readonly headers: { readonly authorization: string | undefined }; refusal: Refusal };
type Middleware = (req: unknown, res: unknown, next: (error: unknown) => void) => void;
type Done = (error: unknown, identity?: Identity | false) => void;

const ABSENT: Refusal = { refusal: 'no Authorization header, or several' };
const MALFORMED: Refusal = { refusal: 'the Authorization header is not Bearer with one token' };

/** Creates the checker for a security scheme whose credentials are bearer tokens, with Passport. */
export function createBearerChecker(schemeName: string, { verifyBearerToken }: TokenVerifier): ExplainingChecker {
  const authenticator = new passport.Passport();
  const verify = (request: BearerRequest, token: string, done: Done): void => {
    const result = verifyBearerToken(token);
    if (result instanceof Promise) {
      result.then((found) => {
        settle(request, found, done);
      }, done);
    } else settle(request, result, done);
  };
  // The strategy passes on the request that it is given, whose type it does not know.
  const verifier = verify as unknown as VerifyFunctionWithRequest;
  authenticator.use(schemeName, new Strategy({ realm: schemeName, passReqToCallback: true }, verifier));

  return ({ authorization }) => {
    // The strategy also accepts tokens from the body and the query, so it gets only the header. It requires exactly
    // one space after `Bearer`; RFC 9110, 11.6.2, allows more.
    const header = authorization?.includes('  ') === true ? authorization.replace(/ +/, ' ') : authorization;
    const request: BearerRequest = {
      headers: { authorization: header },
      refusal: authorization === undefined ? ABSENT : MALFORMED, // Until the strategy has found a token.
    };
    // Passport calls back at once, unless the token is verified asynchronously.
    let result: Identity | Refusal | undefined;
    let failed: unknown;
    let wake = (): void => undefined;
    const callBack = (error: unknown, identity?: Identity | false): void => {
      if (error === null) result = identity === false || identity === undefined ? request.refusal : identity;
      else failed = error;
      wake();
    };
    (authenticator.authenticate(schemeName, { session: false }, callBack) as Middleware)(request, undefined, callBack);
    const unwrap = (): Identity | Refusal => {
      if (result !== undefined) return result;
      throw failed;
    };
    if (result !== undefined || failed !== undefined) return unwrap();
    return new Promise<void>((resolve) => (wake = resolve)).then(unwrap);
  };
}

function settle(request: BearerRequest, result: Identity | Refusal, done: Done): void {
  if ('refusal' in result) request.refusal = result;
  done(null, 'refusal' in result ? false : result);
}
