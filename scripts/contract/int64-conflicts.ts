import type { OpenApiDocument } from './load.ts';
import { dereference, escapePointer } from './reference.ts';

type Schema = Readonly<Record<string, unknown>>;

// Below these, whether a value is an int64 depends on more than its place.
const CONDITIONAL = [
  ...['if', 'then', 'else', 'not', 'dependentSchemas', 'patternProperties', 'propertyNames'],
  ...['prefixItems', 'contains', 'unevaluatedItems', 'unevaluatedProperties'],
];
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf'];

/**
 * A value is a bigint by its place. Says what keeps a schema from that: an int64 whose place depends on something else,
 * or a place that may also have another number.
 *
 * @returns the problems, each with the JSON pointer of the schema it starts from
 */
export function findInt64Conflicts(document: OpenApiDocument, root: unknown, pointer: string): string[] {
  const problems = new Set<string>();
  const seen = new Set<string>();
  const numbered = new Map<unknown, number>();
  visit([root], pointer);
  return [...problems];

  /** @param nodes the schemas that the value at one place may have to satisfy */
  function visit(nodes: readonly unknown[], place: string): void {
    const schemas = [...new Set(nodes.flatMap((node) => spread(node)))];
    // The same schemas together say the same; one of them with others may not.
    const combination = schemas.map(numberOf).sort().join();
    if (schemas.length === 0 || seen.has(combination)) return;
    seen.add(combination);

    const numbers = schemas.filter(({ type }) => [type].flat().some((name) => name === 'integer' || name === 'number'));
    const int64s = numbers.filter(isInt64);
    if (int64s.length > 0 && int64s.length < numbers.length) problems.add(`${place} may be int64 or another number`);
    for (const schema of schemas) {
      if (isInt64(schema))
        for (const keyword of unsafeKeywords(schema)) problems.add(`${place}: ${keyword} is not exact`);
      if (schema['uniqueItems'] === true && leadsToInt64(schema['items'], new Set())) {
        problems.add(`${place}: uniqueItems is not exact`);
      }
      const beside = schema['prefixItems'] === undefined ? [] : [schema['items']];
      if (schema['patternProperties'] !== undefined) beside.push(schema['additionalProperties']);
      if (beside.some((member) => leadsToInt64(member, new Set()))) problems.add(`${place} has an int64 beside others`);
      for (const keyword of CONDITIONAL) {
        if (leadsToInt64(schema[keyword], new Set())) problems.add(`${place} has an int64 under ${keyword}`);
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

  function numberOf(schema: Schema): number {
    const number = numbered.get(schema) ?? numbered.size;
    numbered.set(schema, number);
    return number;
  }

  /** A schema, with those that judge the same value. */
  function spread(node: unknown, within = new Set<unknown>()): Schema[] {
    const schema = dereference(document, node);
    if (typeof schema !== 'object' || schema === null || within.has(schema)) return [];
    within.add(schema);
    const parts = SAME_VALUE.flatMap((keyword) => ((schema as Schema)[keyword] ?? []) as readonly unknown[]);
    return [schema as Schema, ...parts.flatMap((part) => spread(part, within))];
  }

  function leadsToInt64(node: unknown, within: Set<unknown>): boolean {
    const schema = dereference(document, node);
    if (typeof schema !== 'object' || schema === null || within.has(schema)) return false;
    within.add(schema);
    return isInt64(schema as Schema) || Object.values(schema).some((member) => leadsToInt64(member, within));
  }
}

function isInt64({ type, format }: Schema): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

/** The validator compares doubles: what a keyword says must be a number that they hold, or beyond every int64. */
function unsafeKeywords(schema: Schema): string[] {
  const isSafe = (value: unknown): boolean => typeof value !== 'number' || Number.isSafeInteger(value);
  const unsafe = ['const', 'default', 'exclusiveMinimum', 'exclusiveMaximum'].filter((key) => !isSafe(schema[key]));
  if (!((schema['enum'] ?? []) as readonly unknown[]).every(isSafe)) unsafe.push('enum');
  if (!isSafe(schema['minimum']) && Number(schema['minimum']) > -(2 ** 63)) unsafe.push('minimum');
  if (!isSafe(schema['maximum']) && Number(schema['maximum']) < 2 ** 63) unsafe.push('maximum');
  if (![undefined, 1].includes(schema['multipleOf'] as number | undefined)) unsafe.push('multipleOf');
  return unsafe;
}
