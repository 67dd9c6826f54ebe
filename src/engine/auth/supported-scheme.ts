import type { SecurityScheme } from '../contract/operation.ts';

/** Returns the checker that a security scheme needs; `undefined` when there is none. The generator rejects such schemes. */
export function checkerKindOf({ type, scheme, in: location = '' }: SecurityScheme): 'apiKey' | 'bearer' | undefined {
  if (type === 'apiKey' && ['header', 'query', 'cookie'].includes(location)) return 'apiKey';
  return type === 'http' && scheme === 'bearer' ? 'bearer' : undefined;
}
