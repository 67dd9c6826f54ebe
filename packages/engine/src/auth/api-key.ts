import type { SecurityScheme } from '@contract-first/contract';
import type { ExplainingChecker } from './credentials.ts';
import type { TokenVerifier } from './token-verifier.ts';

/** Creates the checker for a security scheme of type `apiKey`, which accepts the configured tokens as keys. */
export function createApiKeyChecker(
  { in: location, name = '' }: SecurityScheme,
  { verifyToken }: TokenVerifier,
): ExplainingChecker {
  const place = location === 'query' || location === 'cookie' ? location : 'header';
  return (credentials) => {
    const key = credentials[place](name);
    return key === undefined ? { refusal: 'no API key' } : verifyToken(key);
  };
}
