import { checkerKindOf, type SecurityScheme } from '@contract-first/contract';
import type { Checker, Credentials } from './credentials.ts';

const VARIABLES = ['API_TOKENS', 'API_TOKENS_FILE', 'JWT_ISSUER'];

/**
 * Creates checkers that accept any well-formed credentials, with every scope. If credentials are configured, the engine
 * checks bearer tokens and API keys itself, and these checkers require a value of `API_TOKENS`: as the password or
 * `user:password` of basic credentials, or after the scheme name of other credentials.
 */
export function createLenientCheckers(
  schemes: Readonly<Record<string, SecurityScheme>>,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, Checker>> {
  const isConfigured = hasCredentials(env);
  const tokens = env['API_TOKENS']?.split(',').map((entry) => entry.trim()) ?? [];
  const checked = Object.entries(schemes).filter(([, scheme]) => !isConfigured || checkerKindOf(scheme) === undefined);
  return Object.fromEntries(
    checked.map(([name, scheme]): [string, Checker] => [
      name,
      (credentials) => {
        const secret = secretOf(scheme, credentials);
        const isKnown = (text: string): boolean =>
          tokens.includes(text) || tokens.includes(text.replace(/^[^:]*:/, ''));
        const isKnowable = isConfigured && scheme.type !== 'mutualTLS';
        const isValid = secret !== undefined && (!isKnowable || isKnown(secret));
        return isValid ? { name: 'mock', scopes: 'all' } : undefined;
      },
    ]),
  );
}

/** Returns whether credentials are configured. */
export function hasCredentials(env: Readonly<Record<string, string | undefined>>): boolean {
  return VARIABLES.some((name) => env[name] !== undefined);
}

/** Returns the token, the key, or `user:password`; `undefined` when the credentials are missing or malformed. */
function secretOf(scheme: SecurityScheme, credentials: Credentials): string | undefined {
  const { authorization = '' } = credentials;
  const { type, in: place, name = '' } = scheme;
  if (type === 'mutualTLS') return ''; // The certificate is not part of the request.
  if (type === 'apiKey') {
    const key = credentials[place === 'query' || place === 'cookie' ? place : 'header'](name);
    return key === '' ? undefined : key;
  }
  const [, sent = '', value = ''] = /^([^ ]+) +(.+)$/.exec(authorization) ?? [];
  if (isBasic(scheme)) {
    const pair = /^basic$/i.test(sent) ? Buffer.from(value, 'base64').toString() : '';
    return pair.includes(':') ? pair : undefined;
  }
  const expected = type === 'http' ? (scheme.scheme ?? '') : 'bearer';
  if (sent.toLowerCase() !== expected) return undefined;
  return expected !== 'bearer' || /^[\w\-.~+/]+=*$/.test(value) ? value : undefined;
}

function isBasic({ type, scheme }: SecurityScheme): boolean {
  return type === 'http' && scheme === 'basic';
}
