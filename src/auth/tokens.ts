import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Holds bearer tokens as SHA-256 digests only.
 *
 * @returns whether a token is one of them, in a time that depends on how many there are, not on what they are
 */
export function createTokenSet(tokens: readonly string[]): (token: string) => boolean {
  const known = tokens.map(digest);
  return (token) => {
    const sent = digest(token);
    return known.reduce((found, one) => timingSafeEqual(one, sent) || found, false);
  };
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
