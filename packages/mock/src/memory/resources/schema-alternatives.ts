import {
  mergeAllOf,
  type Json,
  type JsonObject,
  type JsonSchema,
  toJsonTree,
  type Values,
} from '@contract-first/model/values';

/** An alternative of a schema for a resource in requests or responses. */
export type SchemaAlternative = {
  readonly values: Values;
  readonly properties: Readonly<Record<string, JsonSchema>>;
  /** Whether the alternative allows undeclared members. */
  readonly isOpen: boolean;
};

/**
 * Lists the alternatives of a schema.
 *
 * @param holder the member of the resource that contains the value, unless the value is the resource itself
 */
export function alternativesIn(
  values: Values,
  schema: JsonSchema | undefined,
  holder?: string,
): readonly SchemaAlternative[] {
  if (schema === undefined) return [];
  if (holder !== undefined) return [{ values, properties: { [holder]: schema }, isOpen: false }];
  const visited = new Set<JsonSchema>();
  return alternatives(schema);

  function alternatives(part: JsonSchema): readonly SchemaAlternative[] {
    if (visited.has(part)) return [];
    visited.add(part);
    const flat = mergeAllOf(values.schemas, part);
    if (typeof flat === 'boolean') return [];
    // Validated document.
    const {
      properties = {},
      anyOf = [],
      oneOf = [],
      additionalProperties,
      unevaluatedProperties,
    } = flat as {
      readonly properties?: Readonly<Record<string, JsonSchema>>;
      readonly anyOf?: readonly JsonSchema[];
      readonly oneOf?: readonly JsonSchema[];
      readonly additionalProperties?: JsonSchema;
      readonly unevaluatedProperties?: JsonSchema;
    };
    const isOpen = additionalProperties !== false && unevaluatedProperties !== false;
    return [{ values, properties, isOpen }, ...[...anyOf, ...oneOf].flatMap(alternatives)];
  }
}

/** Returns the problems of members that no alternative of the resource allows. */
export function memberProblems(alternatives: readonly SchemaAlternative[], resource: JsonObject): readonly string[] {
  return Object.entries(resource).flatMap(([name, value]) => problemOf(alternatives, name, value) ?? []);
}

function problemOf(alternatives: readonly SchemaAlternative[], name: string, value: Json): string | undefined {
  const declaring = alternatives.filter(({ properties }) => Object.hasOwn(properties, name));
  const reasons = declaring.map(({ values, properties }) => {
    const violation = values.oracle.violation(properties[name], toJsonTree(value));
    return violation && `${name}${violation.path} ${violation.message}`;
  });
  if (declaring.length > 0) return reasons.includes(undefined) ? undefined : reasons[0];
  if (alternatives.length === 0 || alternatives.some(({ isOpen }) => isOpen)) return undefined;
  const names = new Set(alternatives.flatMap(({ properties }) => Object.keys(properties)));
  return `${name} is not a member; there are ${[...names].join(', ')}`;
}
