import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** A token that lets a client in: its name, which is the caller's, and a digest. The token itself is not kept. */
export type KnownToken = { readonly name: string; readonly digest: Buffer };

/** No longer text is looked at: it is no token, and would only cost time. */
export const MAX_TOKEN_CHARS = 8_192;

// Made for each process. With it, nobody outside knows the digest of any text, so how long it takes to look for one
// says nothing; and digests that get out of here cannot be compared with those of guessed tokens.
const SALT = randomBytes(32).toString('hex');
const NO_DIGEST = Buffer.alloc(64);

/** Returns the salted SHA-256 of a token, with the name of the caller that has it. */
export function hashToken(name: string, token: string): KnownToken {
  return { name, digest: Buffer.from(digestOf(token), 'latin1') };
}

/**
 * Looks tokens up, in a time that depends neither on what they are nor on how many there are. Of two equal tokens, the
 * first one counts.
 *
 * @returns the name of a token; `undefined` when it is not one of them
 */
export function createTokenLookup(tokens: readonly KnownToken[]): (token: string) => string | undefined {
  const known = new Map(tokens.toReversed().map((one) => [one.digest.toString('latin1'), one]));
  return (token) => {
    if (token.length > MAX_TOKEN_CHARS) return undefined;
    const sent = digestOf(token);
    const found = known.get(sent);
    return timingSafeEqual(Buffer.from(sent, 'latin1'), found?.digest ?? NO_DIGEST) ? found?.name : undefined;
  };
}

/** In hexadecimal: Node makes this string in a third of the time that it takes for 32 bytes. */
function digestOf(token: string): string {
  return hash('sha256', SALT + token);
}
