import type { SecurityScheme } from '../contract/operation.ts';
import type { Checker } from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** A checker for a security scheme of type `apiKey`: the key is one of the tokens that let a client in. */
export function createApiKeyChecker(
  schemeName: string,
  { in: place, name = '' }: SecurityScheme,
  { byToken }: TokenVerifier,
): Checker {
  return (credentials) => {
    const read = place === 'query' ? credentials.query : place === 'cookie' ? credentials.cookie : credentials.header;
    const key = read(name);
    const caller = key === undefined ? undefined : byToken(key);
    return caller === undefined ? { challenge: `ApiKey realm="${schemeName}"` } : { caller };
  };
}
