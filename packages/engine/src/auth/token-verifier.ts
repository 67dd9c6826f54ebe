import type { Logger } from 'pino';
import type { Identity } from '@contract-first/contract';
import type { Refusal } from './credentials.ts';
import type { AuthSettings, JwtSettings } from './auth-settings.ts';
import { watchTokensFile } from './tokens-file.ts';
import { createTokenLookup, MAX_TOKEN_CHARS } from './tokens.ts';

/** Verifies tokens. Each function returns the identity, or why the token is invalid. */
export type TokenVerifier = {
  /** Verifies a configured token. Its identity has all scopes. */
  readonly verifyToken: (token: string) => Identity | Refusal;
  /**
   * Verifies a bearer token: a configured token, synchronously, or a JSON Web Token. Rejects with `KeysUnavailable`
   * when the keys have not been fetched yet.
   */
  readonly verifyBearerToken: (token: string) => Identity | Refusal | Promise<Identity | Refusal>;
};

const UNKNOWN: Refusal = { refusal: 'unknown token' };

/**
 * Creates a verifier that watches the tokens file and refreshes the JWKS until the service stops. It does not keep the
 * process alive.
 */
export async function createTokenVerifier(
  { tokens, tokensFile, jwt }: AuthSettings,
  log: Logger,
  stopping: AbortSignal,
): Promise<TokenVerifier> {
  let lookUp = createTokenLookup([...tokens, ...(tokensFile?.tokens ?? [])]);
  if (tokensFile !== undefined) {
    void watchTokensFile(tokensFile, (changed) => (lookUp = createTokenLookup([...tokens, ...changed])), log, stopping);
  }
  const verifyJwt = jwt && (await openJwtVerifier(jwt, log, stopping));
  return {
    verifyToken: (token) => lookUp(token) ?? UNKNOWN,
    verifyBearerToken(token) {
      if (token.length > MAX_TOKEN_CHARS) return { refusal: 'the token is too long' };
      return lookUp(token) ?? verifyJwt?.(token) ?? UNKNOWN;
    },
  };
}

/** Loads jose, which most services do without. */
async function openJwtVerifier(settings: JwtSettings, log: Logger, stopping: AbortSignal) {
  const { createJwtVerifier } = await import('./jwt.ts');
  const { createKeySet } = await import('./key-set.ts');
  return createJwtVerifier(settings, createKeySet(settings.jwksUrl, log, stopping));
}
