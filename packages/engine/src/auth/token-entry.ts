import { hashToken, MAX_TOKEN_CHARS, type HashedToken } from './tokens.ts';

const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/; // b64token, RFC 6750, 2.1
// Shorter tokens can be guessed. The minimum also rejects most truncated tokens of a file that is being overwritten.
const MIN_TOKEN_CHARS = 8;
const NAME = /^[A-Za-z0-9\-._@/+]{1,64}$/;

/**
 * Parses `token` or `name:token`; a bearer token has no colon.
 *
 * @param defaultName the name of a token without a name
 * @returns the hashed token, or a problem: a predicate (`is empty`) that never quotes the token
 */
export function readTokenEntry(entry: string, defaultName: string): HashedToken | { readonly problem: string } {
  const colon = entry.indexOf(':');
  const name = colon === -1 ? defaultName : entry.slice(0, colon).trim();
  const token = entry.slice(colon + 1).trim();
  if (token === '') return { problem: 'is empty' };
  if (!TOKEN.test(token)) return { problem: 'contains a character not allowed in bearer tokens (RFC 6750, 2.1)' };
  if (token.length > MAX_TOKEN_CHARS) return { problem: `is longer than ${String(MAX_TOKEN_CHARS)} characters` };
  if (token.length < MIN_TOKEN_CHARS) return { problem: `is shorter than ${String(MIN_TOKEN_CHARS)} characters` };
  if (colon !== -1 && !NAME.test(name))
    return { problem: 'must have a name of 1 to 64 letters, digits and characters of -._@/+' };
  return hashToken(name, token);
}
