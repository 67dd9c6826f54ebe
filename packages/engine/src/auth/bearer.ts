import passport from 'passport';
import { Strategy, type VerifyFunction } from 'passport-http-bearer';
import type { ExplainingChecker, Refusal } from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

type Result = ReturnType<TokenVerifier['verifyBearerToken']>;
/** The only properties of a request that the strategy reads. */
type BearerRequest = { readonly headers: { authorization: string | undefined } };
type Callback = (error: unknown, result?: Result | false) => void;
type Middleware = (req: BearerRequest, res: undefined, next: Callback) => void;

const ABSENT: Refusal = { refusal: 'no Authorization header, or several' };
const MALFORMED: Refusal = { refusal: 'the Authorization header is not Bearer with one token' };

/** Creates the checker for a security scheme with bearer tokens, based on Passport. */
export function createBearerChecker(schemeName: string, { verifyBearerToken }: TokenVerifier): ExplainingChecker {
  const authenticator = new passport.Passport();
  // Passport passes any result to the callback: a refusal with its reason, or a promise, which the caller awaits.
  const verify = (token: string, done: Callback): void => {
    done(null, verifyBearerToken(token));
  };
  const strategy = new Strategy({ realm: schemeName }, verify as VerifyFunction);

  // Passport calls back synchronously, so all requests can share these objects. With the name of a strategy, Passport
  // would create a copy of it for each request.
  const request: BearerRequest = { headers: { authorization: undefined } };
  let result: Result = ABSENT;
  const callback: Callback = (error, found) => {
    if (error instanceof Error) throw error;
    if (found !== undefined && found !== false) result = found;
  };
  const authenticate = authenticator.authenticate(strategy, { session: false }, callback) as Middleware;

  return ({ authorization }) => {
    result = authorization === undefined ? ABSENT : MALFORMED; // Replaced if the strategy finds a token.
    // The strategy also accepts tokens from the body and the query, so it gets only the header. It requires exactly one
    // space after `Bearer`; RFC 9110, 11.6.2, allows several.
    request.headers.authorization = authorization?.includes('  ') ? authorization.replace(/ +/, ' ') : authorization;
    authenticate(request, undefined, callback);
    return result;
  };
}
