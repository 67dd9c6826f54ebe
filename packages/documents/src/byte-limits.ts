import type { ByteLimits } from '@contract-first/contract';
import { dereference, type OpenApiDocument } from './reference.ts';

/** Returns the sizes that a schema allows for bytes: its `minLength` and `maxLength`; `undefined` when it has none. */
export function byteLimitsOf(
  document: OpenApiDocument,
  node: unknown,
  visited = new Set<unknown>(),
): ByteLimits | undefined {
  const schema = Object(dereference(document, node)) as object;
  if (visited.has(schema)) return undefined; // A schema applies once, however many references lead to it.
  visited.add(schema);
  const {
    minLength,
    maxLength,
    allOf = [],
  } = schema as {
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly allOf?: readonly unknown[];
  };
  const parts = [{ min: minLength, max: maxLength }, ...allOf.map((part) => byteLimitsOf(document, part, visited))];
  const min = Math.max(0, ...parts.map((part) => part?.min ?? 0));
  const max = Math.min(Infinity, ...parts.map((part) => part?.max ?? Infinity));
  if (min === 0 && max === Infinity) return undefined;
  return { ...(min > 0 && { min }), ...(max < Infinity && { max }) };
}
