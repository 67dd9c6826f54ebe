/** A keyword of JSON Schema whose value contains schemas. */
type SchemaKeyword = {
  /** One schema, a list of schemas, or a map of schemas by name. */
  readonly holds: 'one' | 'list' | 'map';
  /**
   * Its schemas apply to the same value (`in-place`) or to the members of the value (`child`); if absent, to no value.
   */
  readonly applicator?: 'in-place' | 'child';
  /**
   * A valid value conforms to all its schemas, or to some of them; or a schema selects the schemas of other keywords.
   */
  readonly role?: 'assertion' | 'alternative' | 'condition';
  /** Whether it may validate a member that another keyword of the schema also validates. */
  readonly overlaps?: true;
};

/**
 * The keywords that contain schemas (JSON Schema 2020-12 and earlier drafts). The single source for all code that
 * traverses or transforms schemas.
 */
export const SCHEMA_KEYWORDS: Readonly<Record<string, SchemaKeyword>> = {
  properties: { holds: 'map', applicator: 'child', role: 'assertion' },
  patternProperties: { holds: 'map', applicator: 'child', role: 'assertion', overlaps: true },
  $defs: { holds: 'map' },
  definitions: { holds: 'map' },
  dependentSchemas: { holds: 'map', applicator: 'in-place', role: 'alternative' },
  allOf: { holds: 'list', applicator: 'in-place', role: 'assertion' },
  anyOf: { holds: 'list', applicator: 'in-place', role: 'alternative' },
  oneOf: { holds: 'list', applicator: 'in-place', role: 'alternative' },
  // The position of an item selects its schema.
  prefixItems: { holds: 'list', applicator: 'child', role: 'alternative' },
  items: { holds: 'one', applicator: 'child', role: 'assertion' },
  additionalItems: { holds: 'one' },
  contains: { holds: 'one', applicator: 'child', role: 'alternative', overlaps: true },
  unevaluatedItems: { holds: 'one', applicator: 'child', role: 'alternative' },
  additionalProperties: { holds: 'one', applicator: 'child', role: 'assertion' },
  propertyNames: { holds: 'one', applicator: 'child', role: 'condition' },
  unevaluatedProperties: { holds: 'one', applicator: 'child', role: 'alternative' },
  not: { holds: 'one', applicator: 'in-place', role: 'condition' },
  if: { holds: 'one', applicator: 'in-place', role: 'condition' },
  then: { holds: 'one', applicator: 'in-place', role: 'alternative' },
  else: { holds: 'one', applicator: 'in-place', role: 'alternative' },
  contentSchema: { holds: 'one' },
};

/** Returns the keywords that satisfy a condition. */
export function keywordsWhere(isWanted: (keyword: SchemaKeyword) => boolean): readonly string[] {
  return Object.keys(SCHEMA_KEYWORDS).filter((name) => isWanted(SCHEMA_KEYWORDS[name] as SchemaKeyword));
}

/** The keywords with lists of schemas for the same value. */
export const IN_PLACE_LISTS = ['allOf', 'anyOf', 'oneOf'] as const;

/** Returns whether a keyword has a list of schemas for the same value. */
export function isInPlaceList(keyword: string): boolean {
  return IN_PLACE_LISTS.some((list) => list === keyword);
}

/** Returns the direct subschemas of a schema. */
export function subschemasOf(schema: object): readonly unknown[] {
  return Object.entries(schema).flatMap(([keyword, value]: readonly [string, unknown]) => {
    const { holds } = SCHEMA_KEYWORDS[keyword] ?? {};
    if (holds === undefined) return [];
    return holds === 'one' ? [value] : (Object.values(Object(value) as object) as readonly unknown[]);
  });
}
