import type { Document, Server } from '../document/document.ts';
import { escapePointer, IN_PLACE_LISTS, keywordsWhere } from '@contract-first/contract';
import { resolveReference, type OpenApiDocument } from '../document/reference.ts';
import { walkDocument } from '../document/walk.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

type Schema = Record<string, unknown>;
/**
 * A schema that validates the same value as its parent: the schema at `holder[key]`, or the target of its reference.
 */
type Part = {
  readonly holder: Schema | unknown[];
  readonly key: string;
  readonly part: Schema;
  readonly pointer: string;
};

// The maximum number of schemas that validate one value.
const MAX_SCHEMAS = 100_000;
const MAX_PATHS = 10_000;
const SINGLE = keywordsWhere(({ holds, applicator }) => holds === 'one' && applicator === 'in-place');
const SEVERAL = keywordsWhere(({ holds, applicator }) => holds !== 'one' && applicator === 'in-place');
const IN_PLACE = new Set(['$ref', ...SINGLE, ...SEVERAL]);

/** Finds schemas that combine too many schemas for one value. A schema counts once for each reference to it. */
export function findCombinations(document: OpenApiDocument): readonly Diagnostic[] {
  const counts = new Map<unknown, number>();
  const found: Diagnostic[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind !== 'schema' || countOf(node) <= MAX_SCHEMAS) return;
    // Reports only the innermost schema, since all schemas that contain it exceed the limit, too.
    if (partsOf(document, node, pointer).every(({ part }) => countOf(part) <= MAX_SCHEMAS))
      found.push({ pointer, message: `combines more than ${String(MAX_SCHEMAS)} schemas for one value` });
  });
  return found;

  /** Counts the combined schemas. A schema inside itself does not count. */
  function countOf(schema: Schema): number {
    const cached = counts.get(schema);
    if (cached !== undefined) return cached;
    counts.set(schema, 0);
    const count = partsOf(document, schema, '').reduce((sum, { part }) => sum + countOf(part), 1);
    counts.set(schema, count);
    return count;
  }
}

/**
 * Removes, in place, parts that refer back to their own schema for the same value: validation would never end. JSON
 * Schema leaves their behavior undefined (2020-12, core 9.4.1).
 *
 * @returns a warning for each removed part
 */
export function removeCircularParts(document: OpenApiDocument): Diagnostic[] {
  const warnings: Diagnostic[] = [];
  const open = new Set<unknown>();
  const finished = new Set<unknown>();
  walkDocument(document, ({ kind, node, pointer }) => {
    if (kind === 'schema') visit(node, pointer);
  });
  return warnings;

  function visit(schema: Schema, pointer: string): void {
    if (finished.has(schema)) return;
    open.add(schema);
    // In reverse order, since removing an item shifts the following items.
    for (const { holder, key, part, pointer: place } of partsOf(document, schema, pointer).reverse()) {
      if (!open.has(part) && !open.has(aliased(document, part))) {
        visit(part, place);
        continue;
      }
      const message = 'this part is not used, since it refers back to its own schema';
      warnings.push({ pointer: key === '$ref' ? pointer : place, message });
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else Reflect.deleteProperty(holder, key);
    }
    // These lists must not be empty.
    for (const name of IN_PLACE_LISTS)
      if ((schema[name] as unknown[] | undefined)?.length === 0) Reflect.deleteProperty(schema, name);
    open.delete(schema);
    finished.add(schema);
  }
}

/** Follows a schema that consists only of a reference to its final target; returns `undefined` for other schemas. */
function aliased(document: OpenApiDocument, { $ref: reference, ...others }: Schema): unknown {
  if (typeof reference !== 'string' || Object.keys(others).length > 0) return undefined;
  const target = resolveReference(document, reference) as Schema; // Validated document.
  return aliased(document, target) ?? target;
}

function partsOf(document: OpenApiDocument, schema: Schema, pointer: string): Part[] {
  if (!Object.keys(schema).some((keyword) => IN_PLACE.has(keyword))) return []; // Most schemas.
  const membersOf = (holder: unknown, path: string): Part[] =>
    Object.entries(Object(holder) as Schema).map(([key, part]) => {
      return {
        holder: holder as Part['holder'],
        key,
        part: part as Schema,
        pointer: `${pointer}${path}/${escapePointer(key)}`,
      };
    });
  const { $ref: reference } = schema;
  const target = typeof reference === 'string' ? resolveReference(document, reference) : undefined;
  return [
    ...SEVERAL.flatMap((keyword) => membersOf(schema[keyword], `/${keyword}`)),
    ...membersOf(schema, '').filter(({ key }) => SINGLE.includes(key)),
    { holder: schema, key: '$ref', part: target as Schema, pointer: String(reference) },
  ].filter(({ part }) => typeof part === 'object' && (part as Schema | null) !== null);
}

/** Finds servers whose variables result in too many paths. */
export function findManyPaths(document: Document): Diagnostic[] {
  const items = Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const pointer = `#/paths/${escapePointer(path)}`;
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
