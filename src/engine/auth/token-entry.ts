import { hashToken, MAX_TOKEN_CHARS, type KnownToken } from './tokens.ts';

const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/; // b64token, RFC 6750, 2.1
// Too short to guess. It also bounds what a file that is being overwritten can let in.
const MIN_TOKEN_CHARS = 8;
const NAME = /^[A-Za-z0-9\-._@/+]{1,64}$/;

/**
 * Reads `token` or `name:token`; a bearer token has no colon.
 *
 * @param defaultName for a token without a name
 * @returns the token, or what is wrong with it, in words that follow it in a sentence and don't repeat it
 */
export function readTokenEntry(entry: string, defaultName: string): KnownToken | { readonly problem: string } {
  const colon = entry.indexOf(':');
  const name = colon === -1 ? defaultName : entry.slice(0, colon).trim();
  const token = entry.slice(colon + 1).trim();
  if (token === '') return { problem: 'is empty' };
  if (!TOKEN.test(token)) return { problem: 'has a character that no bearer token may have (RFC 6750, 2.1)' };
  if (token.length > MAX_TOKEN_CHARS) return { problem: `is longer than ${String(MAX_TOKEN_CHARS)} characters` };
  if (token.length < MIN_TOKEN_CHARS) return { problem: `is shorter than ${String(MIN_TOKEN_CHARS)} characters` };
  if (colon !== -1 && !NAME.test(name))
    return { problem: 'has a name that is not 1 to 64 letters, digits and characters of -._@/+' };
  return hashToken(name, token);
}
