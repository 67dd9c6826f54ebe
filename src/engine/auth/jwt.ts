import type { JWTVerifyGetKey } from 'jose';
import { jwtVerify } from 'jose/jwt/verify';
import { KeysUnavailable } from './key-set.ts';
import type { Identity } from '../contract/caller.ts';
import type { JwtSettings } from './settings.ts';

// Asymmetric algorithms only: with `none` or with HMAC keyed by the public key, anyone could forge tokens.
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
// Other kinds of tokens, such as logout tokens, may have the same issuer and audience (RFC 8725, 3.11).
const TYPES = ['jwt', 'at+jwt'];
const CLOCK_SKEW_SECONDS = 30;

/**
 * Creates a verifier of JSON Web Tokens (RFC 7519, RFC 9068). It checks type, signature, issuer, audience, `exp`, which
 * is required, and `nbf`.
 *
 * @returns a function that returns the identity of a token, `undefined` when the token is invalid; it rejects with
 *   {@link KeysUnavailable} when the keys have not been fetched
 */
export function createJwtVerifier(
  { issuer, audience }: JwtSettings,
  keys: JWTVerifyGetKey,
): (token: string) => Promise<Identity | undefined> {
  const options = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    requiredClaims: ['exp', 'sub'],
    clockTolerance: CLOCK_SKEW_SECONDS,
  };
  return async (token) => {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, options);
      const type = protectedHeader.typ?.toLowerCase().replace(/^application\//, '') ?? 'jwt';
      const { sub } = payload;
      if (!TYPES.includes(type) || !isNonEmptyString(sub)) return undefined;
      return { name: sub, scopes: scopesOf(payload), claims: payload };
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error;
      return undefined; // Any other error means that the token or its key is invalid.
    }
  };
}

/** Whether a claim is a non-empty string; jose declares `sub` as a string without checking it. */
function isNonEmptyString(claim: unknown): claim is string {
  return typeof claim === 'string' && claim !== '';
}

/** Returns the scopes of a token: `scope` (RFC 9068, 2.2.3) or `scp`, and `roles`; each a list, or words in a string. */
function scopesOf(claims: Readonly<Record<string, unknown>>): readonly string[] {
  return [claims['scope'], claims['scp'], claims['roles']]
    .flat()
    .flatMap((value) => (typeof value === 'string' ? value.split(' ') : []))
    .filter((scope) => scope !== '');
}
