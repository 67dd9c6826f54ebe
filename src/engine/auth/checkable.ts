import type { SecurityScheme } from '../contract/operation.ts';

/** Whether the service has a checker for a kind of security scheme. The generator refuses a document with any other. */
export function canCheck({ type, scheme, in: place }: SecurityScheme): boolean {
  if (type === 'apiKey') return place === 'header' || place === 'query' || place === 'cookie';
  return type === 'http' && scheme === 'bearer';
}
