import { dereference, type OpenApiDocument } from './reference.ts';
import { walkDocument } from './walk.ts';
import type { Remark } from './unsupported.ts';

type Schema = Readonly<Record<string, unknown>>;

// Each takes part in the validation of one value.
const MAX_SCHEMAS = 100_000;
const LISTS = ['allOf', 'anyOf', 'oneOf'];
const SINGLE = ['not', 'if', 'then', 'else'];

/** Finds schemas that combine more schemas for one value, counted as often as references lead to them, than can be checked. */
export function findCombinations(document: OpenApiDocument): readonly Remark[] {
  const counts = new Map<unknown, number>();
  const found: Remark[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind !== 'schema' || countOf(node) <= MAX_SCHEMAS) return;
    // Schemas that lead to this one exceed the limit, too.
    if (partsOf(node).every((part) => countOf(part) <= MAX_SCHEMAS))
      found.push({ pointer, message: `combines more than ${String(MAX_SCHEMAS)} schemas for one value` });
  });
  return found;

  /** Counts a schema within itself as none. */
  function countOf(schema: unknown): number {
    const known = counts.get(schema);
    if (known !== undefined || typeof schema !== 'object' || schema === null) return known ?? 1;
    counts.set(schema, 0);
    const count = partsOf(schema as Schema).reduce<number>((sum, part) => sum + countOf(part), 1);
    counts.set(schema, count);
    return count;
  }

  function partsOf(schema: Schema): readonly unknown[] {
    const lists = LISTS.flatMap((keyword) => (Array.isArray(schema[keyword]) ? (schema[keyword] as unknown[]) : []));
    const single = SINGLE.map((keyword) => schema[keyword]);
    const dependent = Object.values((schema['dependentSchemas'] ?? {}) as Schema);
    const target = typeof schema['$ref'] === 'string' ? [dereference(document, { $ref: schema['$ref'] })] : [];
    return [...lists, ...single, ...dependent, ...target].filter((part) => typeof part === 'object');
  }
}
