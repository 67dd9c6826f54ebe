import type { Document, Server } from './document.ts';
import { dereference, type OpenApiDocument } from './reference.ts';
import { walkDocument } from './walk.ts';
import type { Remark } from './unsupported.ts';

type Schema = Readonly<Record<string, unknown>>;

// Each takes part in the validation of one value.
const MAX_SCHEMAS = 100_000;
const MAX_PATHS = 10_000;
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

/** Finds servers whose variables stand for more paths than can be served. */
export function findManyPaths(document: Document): Remark[] {
  const items = Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const pointer = `#/paths/${path.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    return Object.entries<unknown>({ '': item, ...item }).map(([name, holder]) => {
      return { pointer: name === '' ? pointer : `${pointer}/${name}`, holder };
    });
  });
  return [{ pointer: '#', holder: document as unknown }, ...items].flatMap(({ pointer, holder }) => {
    const { servers = [] } = Object(holder) as { readonly servers?: readonly Server[] };
    const count = servers.reduce((sum, { variables = {} }) => {
      return (
        sum + Object.values(variables).reduce((product, { enum: values = [] }) => product * (values.length || 1), 1)
      );
    }, 0);
    const message = `the values of the variables make more than ${String(MAX_PATHS)} combinations`;
    return count > MAX_PATHS ? [{ pointer: `${pointer}/servers`, message }] : [];
  });
}
