import type { SecurityScheme } from '@contract-first/contract';

/** Returns the built-in checker for a security scheme; `undefined` when the application has to register one. */
export function checkerKindOf({ type, scheme, in: location = '' }: SecurityScheme): 'apiKey' | 'bearer' | undefined {
  if (type === 'apiKey' && ['header', 'query', 'cookie'].includes(location)) return 'apiKey';
  if (type === 'oauth2' || type === 'openIdConnect') return 'bearer';
  return type === 'http' && scheme === 'bearer' ? 'bearer' : undefined;
}
