import type { Logger } from 'pino';
import { createJwtCheck } from './jwt.ts';
import { createKeySet } from './key-set.ts';
import type { AuthSettings } from './settings.ts';
import { watchTokensFile } from './tokens-file.ts';
import { createTokenLookup, MAX_TOKEN_CHARS } from './tokens.ts';

/** Tells who a client is by what it sends: the caller, or `undefined` for nobody that is known. */
export type TokenVerifier = {
  /** By one of the configured tokens: its name. */
  readonly byToken: (token: string) => string | undefined;
  /**
   * By a bearer token: one of the configured ones, at once, or a JSON Web Token, whose `sub` it is. Rejects with
   * `KeysUnavailable` when that cannot be told now.
   */
  readonly byBearerToken: (token: string) => string | undefined | Promise<string | undefined>;
};

/** Makes an tokenVerifier that keeps up with the tokens file and the keys of the issuer; neither keeps the process alive. */
export function createTokenVerifier({ tokens, tokensFile, jwt }: AuthSettings, log: Logger): TokenVerifier {
  let lookUp = createTokenLookup([...tokens, ...(tokensFile?.tokens ?? [])]);
  if (tokensFile !== undefined) {
    void watchTokensFile(tokensFile, (changed) => (lookUp = createTokenLookup([...tokens, ...changed])), log);
  }
  const checkJwt = jwt && createJwtCheck(jwt, createKeySet(jwt.jwksUrl, log));
  return {
    byToken: (token) => lookUp(token),
    byBearerToken(token) {
      if (token.length > MAX_TOKEN_CHARS) return undefined;
      return lookUp(token) ?? checkJwt?.(token);
    },
  };
}
