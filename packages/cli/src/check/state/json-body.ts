import { kindOf, parseJsonTree, type JsonTree } from '@contract-first/contract';
import { headerOf } from '../conformance.ts';
import type { WireResponse } from '../wire-response.ts';
import { integerOf } from '../../values/integers.ts';
import type { Json } from '../../values/json-value.ts';

// Sequences keep the values of several responses, which take many times as much memory as their bodies.
const MAX_BYTES = 1_048_576;

/** Returns the value of a JSON response with exact integers; `undefined` for other bodies, and for large ones. */
export function jsonOf(response: WireResponse): Json | undefined {
  if (response.body.length > MAX_BYTES || response.limitBytes !== undefined) return undefined;
  const mediaType = headerOf(response, 'content-type')?.split(';', 1)[0] ?? '';
  if (kindOf(mediaType.trim().toLowerCase()) !== 'json') return undefined;
  try {
    const tree = parseJsonTree(response.body.toString());
    return exactAt(tree, tree.root, '');
  } catch {
    return undefined; // Reported by response_schema_conformance.
  }
}

function exactAt(tree: JsonTree, holder: object, key: string): Json {
  const value = (holder as Readonly<Record<string, Json>>)[key] ?? null; // Parsed from JSON.
  if (typeof value === 'number') {
    const digits = tree.sourceDigits.get(holder, key);
    return digits === undefined ? value : (integerOf(digits) ?? value);
  }
  if (Array.isArray(value)) return value.map((_, index) => exactAt(tree, value, String(index)));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.keys(value).map((name) => [name, exactAt(tree, value, name)]));
}
