import type { JWTVerifyGetKey } from 'jose';
import { jwtVerify } from 'jose/jwt/verify';
import { KeysUnavailable } from './key-set.ts';
import type { JwtSettings } from './settings.ts';

// Who can check a signature of these cannot make one. `none` and HMAC, for which a public key would do, are not here.
const ALGORITHMS = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
];
// A token for another purpose (a logout token, say) has the same issuer and may have the same audience (RFC 8725, 3.11).
const TYPES = ['jwt', 'at+jwt'];
const CLOCK_SKEW_SECONDS = 30;

/**
 * Checks JSON Web Tokens (RFC 7519, RFC 9068): the signature, issuer, audience, `exp`, which a token must have, and `nbf`.
 *
 * @returns finds the `sub` of a token, `undefined` when the token is not good; rejects with {@link KeysUnavailable}
 *   when that cannot be told
 */
export function createJwtCheck(
  { issuer, audience }: JwtSettings,
  keys: JWTVerifyGetKey,
): (token: string) => Promise<string | undefined> {
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
      return TYPES.includes(type) && isName(payload.sub) ? payload.sub : undefined;
    } catch (error) {
      if (error instanceof KeysUnavailable) throw error;
      // Whatever is wrong, be it with the token or with the key that it names: nobody is known by it.
      return undefined;
    }
  };
}

/** The type of jose says so, the token may say something else. */
function isName(sub: unknown): sub is string {
  return typeof sub === 'string' && sub !== '';
}
