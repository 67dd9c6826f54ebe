import { escapePointer, IN_PLACE_LISTS, isInPlaceList, keywordsWhere } from '@contract-first/contract';
import { describesInt64 } from '../document/shapes.ts';
import {
  asSchema,
  dereference,
  schemasInPlace,
  type OpenApiDocument,
  type SchemaObject as Schema,
} from '../document/reference.ts';

/** Values that the service identifies and converts by their location. */
export type LocatedValues = {
  /** The name of a value in messages. */
  readonly name: string;
  readonly isOne: (schema: Schema) => boolean;
  /** Returns the problems of the schemas that apply to one location, each with the schemas that cause it. */
  readonly problemsOf: (
    schemas: readonly Schema[],
  ) => readonly (readonly [problem: string, found: readonly Schema[]])[];
};

/** int64s, which the validator reads as doubles. */
export const INT64S: LocatedValues = { name: 'an int64', isOne: describesInt64, problemsOf: int64Problems };

// Under these keywords, the location does not determine whether a value is converted.
const CONDITIONAL = keywordsWhere(
  ({ applicator, role, overlaps }) => applicator !== undefined && (role !== 'assertion' || overlaps === true),
).filter((keyword) => !isInPlaceList(keyword));

/** A reason why values cannot be converted. */
type Conflict = {
  /** The message, which begins with the location of the value. */
  readonly problem: string;
  /** The schemas of the values that cannot be converted. */
  readonly schemas: readonly Schema[];
};

/**
 * Finds values that the location does not identify: values under conditional keywords, and locations that also allow
 * other values.
 *
 * @param name the name of the root value in messages
 */
export function findConflicts(
  document: OpenApiDocument,
  root: unknown,
  name: string,
  { name: one, isOne, problemsOf }: LocatedValues,
): Conflict[] {
  const conflicts: Conflict[] = [];
  const seen = new Set<string>();
  const ids = new Map<unknown, number>();
  visit([root], name);
  return conflicts;

  /** @param nodes all schemas that apply to the value at one location */
  function visit(nodes: readonly unknown[], place: string): void {
    const schemas = [...new Set(nodes.flatMap((node) => [...schemasInPlace(document, node, IN_PLACE_LISTS)]))];
    // Visits each combination of schemas once.
    const combination = schemas.map(idOf).sort().join();
    if (schemas.length === 0 || seen.has(combination)) return;
    seen.add(combination);

    const report = (problem: string, found: readonly Schema[]): void => {
      if (found.length > 0) conflicts.push({ problem: `${place} ${problem}`, schemas: found });
    };
    for (const [problem, found] of problemsOf(schemas)) report(problem, found);
    for (const schema of schemas) {
      const remaining = schema['prefixItems'] === undefined ? [] : [schema['items']];
      if (schema.patternProperties !== undefined) remaining.push(schema['additionalProperties']);
      for (const member of remaining) report(`has ${one} beside prefixItems or patternProperties`, foundIn(member));
      for (const keyword of CONDITIONAL) report(`has ${one} under ${keyword}`, foundIn(schema[keyword]));
    }

    const properties = schemas.flatMap((schema) => Object.entries(schema.properties ?? {}));
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

  function foundIn(node: unknown, visited = new Set<unknown>()): Schema[] {
    const schema = asSchema(dereference(document, node));
    if (schema === undefined || visited.has(schema)) return [];
    visited.add(schema);
    const own = isOne(schema) ? [schema] : [];
    return [...own, ...Object.values(schema).flatMap((member) => foundIn(member, visited))];
  }
}

function int64Problems(schemas: readonly Schema[]): ReturnType<LocatedValues['problemsOf']> {
  const numbers = schemas.filter(({ type }) => [type].flat().some((name) => name === 'integer' || name === 'number'));
  const int64s = numbers.filter(describesInt64);
  return int64s.length < numbers.length ? [['may be int64 or another number', int64s]] : [];
}
