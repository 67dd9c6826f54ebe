import { readTokenEntry } from './token-entry.ts';
import { readTokensFile, type TokensFile } from './tokens-file.ts';
import type { HashedToken } from './tokens.ts';

/** The configured tokens, and the settings of JSON Web Tokens. */
export type AuthSettings = {
  readonly tokens: readonly HashedToken[];
  readonly tokensFile: TokensFile | undefined;
  readonly jwt: JwtSettings | undefined;
};

/** The issuer and audience of accepted JSON Web Tokens, and the URL of the issuer's keys. */
export type JwtSettings = { readonly issuer: string; readonly audience: string; readonly jwksUrl: URL };

type Environment = Readonly<Record<string, string | undefined>>;

const JWT_VARIABLES = ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'];
const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Reads the authentication settings. Problems never quote values, since even an invalid value may be a secret.
 *
 * @param problems receives a message for each invalid variable
 */
export async function readAuthSettings(env: Environment, problems: string[]): Promise<AuthSettings> {
  return {
    tokens: readTokens(env['API_TOKENS'], problems),
    tokensFile: await readFile(env['API_TOKENS_FILE'], problems),
    jwt: readJwt(env, problems),
  };
}

/** Whether no credentials are configured. */
export function isWithoutCredentials({ tokens, tokensFile, jwt }: AuthSettings): boolean {
  return tokens.length === 0 && tokensFile === undefined && jwt === undefined;
}

function readTokens(text: string | undefined, problems: string[]): readonly HashedToken[] {
  return (text?.split(',') ?? []).flatMap((entry, index, { length }) => {
    const read = readTokenEntry(entry.trim(), `API_TOKENS:${String(index + 1)}`);
    if (!('problem' in read)) return read;
    problems.push(`API_TOKENS: token ${String(index + 1)} of ${String(length)} ${read.problem}`);
    return [];
  });
}

async function readFile(path: string | undefined, problems: string[]): Promise<TokensFile | undefined> {
  if (path === undefined) return undefined;
  const file = await readTokensFile(path);
  if (!('problems' in file)) return file;
  problems.push(...file.problems);
  return undefined;
}

function readJwt(env: Environment, problems: string[]): JwtSettings | undefined {
  const present = JWT_VARIABLES.filter((name) => env[name] !== undefined);
  if (present.length === 0) return undefined;
  for (const name of JWT_VARIABLES) {
    if (env[name] === undefined) problems.push(`${name} must be set when ${present.join(' and ')} is`);
    else if (env[name].trim() === '') problems.push(`${name} must not be empty`);
  }
  const { JWT_ISSUER: issuer = '', JWT_AUDIENCE: audience = '', JWT_JWKS_URL: text = '' } = env;
  const jwksUrl = URL.parse(text);
  if (text.trim() !== '' && !isAllowedKeySetUrl(jwksUrl))
    problems.push('JWT_JWKS_URL must be an https URL without a password; http is for localhost only');
  return jwksUrl === null ? undefined : { issuer, audience, jwksUrl };
}

/** Whether keys may be fetched from a URL. Over plain HTTP, keys could be replaced in transit. */
function isAllowedKeySetUrl(url: URL | null): boolean {
  if (url === null) return false;
  const { protocol, hostname, username, password } = url;
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && LOCAL_HOSTS.includes(hostname));
}
