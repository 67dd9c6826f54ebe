import type { ByteLimits } from '@contract-first/contract';
import { schemasInPlace, type OpenApiDocument } from './reference.ts';

/** Returns the size limits of a schema for bytes, `minLength` and `maxLength`; `undefined` if it has none. */
export function byteLimitsOf(document: OpenApiDocument, node: unknown): ByteLimits | undefined {
  const parts = [...schemasInPlace(document, node, ['allOf'])];
  const min = Math.max(0, ...parts.map(({ minLength = 0 }) => minLength));
  const max = Math.min(Infinity, ...parts.map(({ maxLength = Infinity }) => maxLength));
  if (min === 0 && max === Infinity) return undefined;
  return { ...(min > 0 && { min }), ...(max < Infinity && { max }) };
}
