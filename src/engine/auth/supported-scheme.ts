import type { SecurityScheme } from '../contract/operation.ts';

/** Whether a security scheme has a checker. The generator rejects documents with other schemes. */
export function isSupportedScheme({ type, scheme, in: location }: SecurityScheme): boolean {
  if (type === 'apiKey') return location === 'header' || location === 'query' || location === 'cookie';
  return type === 'http' && scheme === 'bearer';
}
