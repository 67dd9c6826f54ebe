import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose';
import * as errors from 'jose/errors';
import { jwtVerify } from 'jose/jwt/verify';
import type { Identity } from '@contract-first/contract';
import { KeysUnavailable, type Refusal } from './credentials.ts';
import type { KeySet } from './key-set.ts';
import type { JwtSettings } from './auth-settings.ts';

// Asymmetric algorithms only: with `none` or with HMAC keyed by the public key, anyone could forge tokens.
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];
// Other kinds of tokens, such as logout tokens, may have the same issuer and audience (RFC 8725, 3.11).
const TYPES = ['jwt', 'at+jwt'];
const CLOCK_SKEW_SECONDS = 30;
// Reasons by error code of jose.
const REFUSALS: Readonly<Record<string, string>> = {
  ERR_JWT_EXPIRED: 'the JSON Web Token has expired',
  ERR_JOSE_ALG_NOT_ALLOWED: 'the algorithm of the JSON Web Token is not allowed',
  ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'the signature of the JSON Web Token is invalid',
  ERR_JWKS_NO_MATCHING_KEY: 'the JWKS has no key for the JSON Web Token',
  ERR_JWKS_MULTIPLE_MATCHING_KEYS: 'no key of the JWKS verifies the signature of the JSON Web Token',
  ERR_JOSE_NOT_SUPPORTED: 'the JSON Web Token or its key has a feature that is not supported',
  ERR_JWK_INVALID: 'the key in the JWKS is invalid',
  ERR_JWKS_INVALID: 'the JWKS is invalid',
};

/**
 * Creates a verifier of JSON Web Tokens (RFC 7519, RFC 9068). It checks type, signature, issuer, audience, `exp` and
 * `nbf`; `exp` is required.
 *
 * @returns a function that returns the identity of a token, or why the token is invalid; it rejects with
 *   {@link KeysUnavailable} when the keys have not been fetched
 */
export function createJwtVerifier(
  { issuer, audience }: JwtSettings,
  keys: KeySet,
): (token: string) => Promise<Identity | Refusal> {
  const options = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: CLOCK_SKEW_SECONDS,
  };
  return async (token) => {
    try {
      const { payload, protectedHeader } = await verifyWithCurrent(token, keys, options);
      const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? 'jwt';
      const { sub } = payload;
      if (!TYPES.includes(type)) return { refusal: 'the JSON Web Token has another typ than JWT and at+jwt' };
      if (!isNonEmptyString(sub)) return { refusal: 'the JSON Web Token has an invalid sub' };
      return { name: sub, scopes: scopesOf(payload), claims: payload };
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error;
      return { refusal: describe(error) }; // Any other error means that the token or its key is invalid.
    }
  };
}

/** Verifies a token. Fetches the keys again if none verifies it, since a new key may have the `kid` of an old key, or none. */
async function verifyWithCurrent(token: string, keys: KeySet, options: JWTVerifyOptions): Promise<JWTVerifyResult> {
  try {
    return await verifyWithAny(token, keys, options);
  } catch (error) {
    const isOtherKey =
      error instanceof errors.JWSSignatureVerificationFailed || error instanceof errors.JWKSMultipleMatchingKeys;
    if (!isOtherKey || !(await keys.renew())) throw error;
    return verifyWithAny(token, keys, options);
  }
}

/**
 * Verifies a token with each matching key. Several keys match if the token has no `kid`, or if keys share it.
 *
 * @throws an error of jose; `JWKSMultipleMatchingKeys` when none of several keys verifies the signature
 */
async function verifyWithAny(
  token: string,
  keys: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<JWTVerifyResult> {
  try {
    return await jwtVerify(token, keys, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return await jwtVerify(token, key, options);
      } catch (failure) {
        // jose checks claims after the signature, so a claim error means that the key matched.
        if (failure instanceof errors.JWTClaimValidationFailed || failure instanceof errors.JWTExpired) throw failure;
      }
    }
    throw error;
  }
}

/** Returns a message for an error of jose without quoting the token, as jose's messages do. */
function describe(error: unknown): string {
  const { code = '', claim } = error as { code?: string; claim?: string }; // Other errors have neither property.
  if (claim !== undefined && code !== 'ERR_JWT_EXPIRED') return `the JSON Web Token has an invalid ${claim}`;
  return REFUSALS[code] ?? 'neither a known token nor a valid JSON Web Token';
}

/** Whether a claim is a non-empty string; jose declares `sub` as a string without checking it. */
function isNonEmptyString(claim: unknown): claim is string {
  return typeof claim === 'string' && claim !== '';
}

/** Returns the scopes of a token: `scope` (RFC 9068, 2.2.3), `scp` and `roles`, as a list or separated by spaces. */
function scopesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  return [claims['scope'], claims['scp'], claims['roles']]
    .flat()
    .flatMap((value) => (typeof value === 'string' ? value.split(' ') : []))
    .filter((scope) => scope !== '');
}
