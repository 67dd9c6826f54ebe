import type { OpenApiDocument } from './load.ts';
import { dereference, escapePointer } from './reference.ts';

type Schema = Readonly<Record<string, unknown>>;

// Below these keywords, whether a value is an int64 depends on more than its location.
const CONDITIONAL = [
  ...['if', 'then', 'else', 'not', 'dependentSchemas', 'patternProperties', 'propertyNames'],
  ...['prefixItems', 'contains', 'unevaluatedItems', 'unevaluatedProperties'],
];
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf'];

/**
 * Finds int64s that cannot be identified by their location in the value: those under conditional keywords, and locations
 * that also allow other numbers. The service decides by location which integers become bigints.
 *
 * @param name the name of the root value in messages
 * @returns the problems, each beginning with the location of the value
 */
export function findInt64Conflicts(document: OpenApiDocument, root: unknown, name: string): string[] {
  const problems = new Set<string>();
  const seen = new Set<string>();
  const ids = new Map<unknown, number>();
  visit([root], name);
  return [...problems];

  /** @param nodes all schemas that apply to the value at one location */
  function visit(nodes: readonly unknown[], place: string): void {
    const schemas = [...new Set(nodes.flatMap((node) => inPlaceSchemas(node)))];
    // A combination of schemas needs one visit; the same schema in another combination needs its own.
    const combination = schemas.map(idOf).sort().join();
    if (schemas.length === 0 || seen.has(combination)) return;
    seen.add(combination);

    const numbers = schemas.filter(({ type }) => [type].flat().some((name) => name === 'integer' || name === 'number'));
    const int64s = numbers.filter(isInt64);
    if (int64s.length > 0 && int64s.length < numbers.length) problems.add(`${place} may be int64 or another number`);
    for (const schema of schemas) {
      if (isInt64(schema))
        for (const keyword of unsafeKeywords(schema)) problems.add(`${place}: ${keyword} is not exact`);
      if (schema['uniqueItems'] === true && containsInt64(schema['items'], new Set())) {
        problems.add(`${place}: uniqueItems is not exact`);
      }
      const remaining = schema['prefixItems'] === undefined ? [] : [schema['items']];
      if (schema['patternProperties'] !== undefined) remaining.push(schema['additionalProperties']);
      if (remaining.some((member) => containsInt64(member, new Set()))) {
        problems.add(`${place} has an int64 beside prefixItems or patternProperties`);
      }
      for (const keyword of CONDITIONAL) {
        if (containsInt64(schema[keyword], new Set())) problems.add(`${place} has an int64 under ${keyword}`);
      }
    }

    const properties = schemas.flatMap((schema) => Object.entries((schema['properties'] ?? {}) as Schema));
    const additional = schemas.map((schema) => schema['additionalProperties']);
    const byName = Map.groupBy(properties, ([name]) => name);
    for (const [name, members] of byName)
      visit(
        members.map(([, member]) => member),
        `${place}/${escapePointer(name)}`,
      );
    visit(additional, `${place}/*`);
    visit(
      schemas.map((schema) => schema['items']),
      `${place}/*`,
    );
  }

  function idOf(schema: Schema): number {
    const id = ids.get(schema) ?? ids.size;
    ids.set(schema, id);
    return id;
  }

  /** Returns a schema and its subschemas that apply to the same value. */
  function inPlaceSchemas(node: unknown, visited = new Set<unknown>()): Schema[] {
    const schema = dereference(document, node);
    if (typeof schema !== 'object' || schema === null || visited.has(schema)) return [];
    visited.add(schema);
    const parts = SAME_VALUE.flatMap((keyword) => ((schema as Schema)[keyword] ?? []) as readonly unknown[]);
    return [schema as Schema, ...parts.flatMap((part) => inPlaceSchemas(part, visited))];
  }

  function containsInt64(node: unknown, visited: Set<unknown>): boolean {
    const schema = dereference(document, node);
    if (typeof schema !== 'object' || schema === null || visited.has(schema)) return false;
    visited.add(schema);
    return isInt64(schema as Schema) || Object.values(schema).some((member) => containsInt64(member, visited));
  }
}

function isInt64({ type, format }: Schema): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

/** Lists keywords with numbers that a double cannot hold, which the validator would compare inexactly. */
function unsafeKeywords(schema: Schema): string[] {
  const isSafe = (value: unknown): boolean => typeof value !== 'number' || Number.isSafeInteger(value);
  const unsafe = ['const', 'default', 'exclusiveMinimum', 'exclusiveMaximum'].filter((key) => !isSafe(schema[key]));
  if (!((schema['enum'] ?? []) as readonly unknown[]).every(isSafe)) unsafe.push('enum');
  if (!isSafe(schema['minimum']) && Number(schema['minimum']) > -(2 ** 63)) unsafe.push('minimum');
  if (!isSafe(schema['maximum']) && Number(schema['maximum']) < 2 ** 63) unsafe.push('maximum');
  if (![undefined, 1].includes(schema['multipleOf'] as number | undefined)) unsafe.push('multipleOf');
  return unsafe;
}
