import { kindOf, parseJsonTree } from '@contract-first/contract';
import type { WireResponse } from '@contract-first/model/requests';
import { fromJsonTree, type Json } from '@contract-first/model/values';
import { headerOf } from '../judgement/conformance.ts';

// Sequences keep the values of several responses, which take many times as much memory as their bodies.
const MAX_BYTES = 1_048_576;

/** Returns the value of a JSON response with exact integers; `undefined` for other bodies, and for large ones. */
export function jsonOf(response: WireResponse): Json | undefined {
  if (response.body.length > MAX_BYTES || response.limitBytes !== undefined) return undefined;
  const mediaType = headerOf(response, 'content-type')?.split(';', 1)[0] ?? '';
  if (kindOf(mediaType.trim().toLowerCase()) !== 'json') return undefined;
  try {
    return fromJsonTree(parseJsonTree(response.body.toString()));
  } catch {
    return undefined; // Reported by response_schema_conformance.
  }
}
