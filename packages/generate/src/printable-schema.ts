import { compilePattern } from '@contract-first/contract';
import {
  DECODED,
  dereference,
  isDecoded,
  describesInt64,
  schemasInPlace,
  type Document,
} from '@contract-first/documents';

/** A validated, normalized schema for one direction. */
export type PrintableSchema = {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Schemas;
  readonly patternProperties?: Schemas;
  readonly additionalProperties?: Subschema;
  readonly unevaluatedProperties?: Subschema;
  readonly dependentSchemas?: Schemas;
  readonly prefixItems?: readonly Subschema[];
  readonly items?: Subschema;
  readonly minItems?: number;
  readonly allOf?: readonly Subschema[];
  readonly anyOf?: readonly Subschema[];
  readonly oneOf?: readonly Subschema[];
  readonly if?: Subschema;
  readonly then?: Subschema;
  readonly else?: Subschema;
};
type Subschema = PrintableSchema | boolean;
type Schemas = Readonly<Record<string, Subschema>>;

/** A schema without valid values. The type `never` is not part of JSON Schema. */
export const NEVER: PrintableSchema = { type: 'never' };
/** A schema for every value except `undefined`. The type `present` is not part of JSON Schema. */
export const PRESENT: PrintableSchema = { type: 'present' };
/** The type of schemas for an inherited method. It is not part of JSON Schema. */
export const INHERITED = 'inherited';
/** The keyword for the values of an int64, since openapi-typescript prints values of `enum` as numbers. */
export const INT64_VALUES = 'x-int64-values';

// The names of methods that object literals inherit.
const INHERITED_NAMES = [
  'constructor',
  'hasOwnProperty',
  'isPrototypeOf',
  'propertyIsEnumerable',
  'toLocaleString',
  'toString',
  'valueOf',
];
// Keywords that apply other schemas to the same value.
const APPLICATORS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
// Keywords that constrain the value directly.
const ASSERTIONS = [
  'type',
  'format',
  DECODED,
  'items',
  'prefixItems',
  'minItems',
  'required',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
];

/**
 * Copies a schema to an equivalent schema for which openapi-typescript prints the type of the values that the validator
 * accepts. Keeps its subschemas unchanged.
 */
export function toPrintableSchema(document: Document, original: PrintableSchema): PrintableSchema {
  // Directed schemas have these marks only if no value is valid.
  if (original['readOnly'] === true || original['writeOnly'] === true) return NEVER;
  // The alternatives already contain the discriminator values.
  const schema = without(original, ['discriminator']);
  if ('enum' in schema || 'const' in schema) return printValues(schema);
  const parts = partsOf(document, schema);
  if (parts.length === 0) return printProperties({ ...without(schema, APPLICATORS), required: requiredBy(schema) });

  // openapi-typescript ignores the siblings of `$ref`, and prints `anyOf` as an alternative to its siblings.
  const { unevaluatedProperties } = schema;
  const required = [...new Set(requiredBy(schema))];
  const undeclared = required.filter((name) => !parts.some((part) => declares(document, part, name)));
  const own: PrintableSchema = {
    ...only(schema, ASSERTIONS),
    ...(required.length > 0 && { required: undeclared }),
    // TypeScript cannot express undeclared properties of all parts.
    ...(typeof unevaluatedProperties === 'object' && { unevaluatedProperties: true }),
  };
  // `type: object` alone would be `Record<string, unknown>` beside the parts.
  const hasOwn =
    undeclared.length > 0 || Object.keys(without(own, ['required'])).some((keyword) => own[keyword] !== 'object');
  const all = hasOwn ? [own, ...parts] : parts;
  const annotations = without(schema, [...ASSERTIONS, ...APPLICATORS]);
  const [first] = all;
  if (all.length > 1 || required.length > 0)
    return { ...annotations, ...(required.length > 0 && { required }), allOf: all };
  const merged = { ...annotations, ...first };
  // A part that takes the place of the schema is not visited again.
  return schema.allOf?.some((part) => part === first) === true ? toPrintableSchema(document, merged) : merged;
}

/** Returns the subschemas that a schema applies to the same value. */
function partsOf(document: Document, schema: PrintableSchema): readonly PrintableSchema[] {
  const { $ref, allOf = [], anyOf, oneOf, if: condition, then, else: otherwise, dependentSchemas = {} } = schema;
  const parts: readonly Subschema[] = [
    ...($ref === undefined ? [] : [{ $ref }]),
    ...allOf,
    ...(anyOf === undefined ? [] : [{ anyOf }]),
    ...(oneOf === undefined ? [] : [{ oneOf }]),
    ...(condition === undefined ? [] : [conditional(document, [condition, then ?? true], otherwise)]),
    ...Object.values(dependentSchemas).map((part) => conditional(document, [part])),
  ];
  return parts.flatMap((part) => {
    if (part === false) return [NEVER];
    // Skips parts with only `required`, which is moved to the schema itself.
    return part === true || Object.keys(part).join() === 'required' ? [] : [part];
  });
}

/** Returns the required properties of a schema and its `allOf`, without its references. */
function requiredBy(schema: Subschema): readonly string[] {
  if (typeof schema === 'boolean') return [];
  return [...(schema.required ?? []), ...(schema.allOf ?? []).flatMap(requiredBy)];
}

/**
 * Returns a union schema in place of a condition, which openapi-typescript does not print: all of `schemas`, or else
 * `otherwise`.
 */
function conditional(document: Document, schemas: readonly Subschema[], otherwise?: Subschema): PrintableSchema {
  const properties = schemas
    .flatMap((schema) => [...schemasInPlace(document, schema, ['allOf'])])
    .flatMap((schema) => Object.keys((schema as PrintableSchema).properties ?? {}));
  // Object literals may have the properties of an unsatisfied condition.
  const open = { properties: Object.fromEntries(properties.map((name) => [name, true])) };
  return { anyOf: [{ allOf: schemas.filter((schema) => schema !== true) }, otherwise ?? open] };
}

/** Returns whether a part of `allOf` declares a property, so that openapi-typescript can require it. */
function declares(document: Document, part: PrintableSchema, name: string): boolean {
  const { properties = {} } = part.$ref === undefined ? part : dereference(document, part);
  return Object.hasOwn(properties, name);
}

function printProperties(schema: PrintableSchema): PrintableSchema {
  return joinAdditional(allowInherited(declareRequired(declareNamed(schema))));
}

/** Declares the properties whose name is the only match of a pattern. */
function declareNamed({ patternProperties = {}, ...schema }: PrintableSchema): PrintableSchema {
  const groups = Object.groupBy(Object.entries(patternProperties), ([pattern]) =>
    /^\^\w+\$$/.test(pattern) ? 'named' : 'others',
  );
  const { named = [], others = [] } = groups;
  const declared = Object.fromEntries(named.map(([pattern, property]) => [pattern.slice(1, -1), property]));
  return {
    ...schema,
    ...(named.length > 0 && { properties: { ...declared, ...schema.properties } }),
    ...(others.length > 0 && { patternProperties: Object.fromEntries(others) }),
  };
}

/** Adds the inherited methods to the types of optional properties. */
function allowInherited(schema: PrintableSchema): PrintableSchema {
  const { properties = {}, required = [] } = schema;
  const names = INHERITED_NAMES.filter((name) => Object.hasOwn(properties, name) && !required.includes(name));
  if (names.length === 0) return schema;
  const allowed = Object.entries(properties).map(([name, property]) => [
    name,
    names.includes(name) ? { anyOf: [property, { type: INHERITED, name }] } : property,
  ]);
  return { ...schema, properties: Object.fromEntries(allowed) as Schemas }; // `Object.fromEntries` loses the types.
}

/** Declares properties that are only required, since openapi-typescript prints only declared properties. */
function declareRequired({ required = [], ...schema }: PrintableSchema): PrintableSchema {
  const { properties = {}, patternProperties = {}, additionalProperties } = schema;
  const missing = required.filter((name) => !Object.hasOwn(properties, name));
  const other = typeof additionalProperties === 'object' ? additionalProperties : PRESENT;
  const valueOf = (name: string): Subschema => {
    const patterns = Object.entries(patternProperties).filter(([pattern]) => compilePattern(pattern).test(name));
    return patterns.length === 0 ? other : { allOf: patterns.map(([, property]) => property) };
  };
  const declared = Object.fromEntries(missing.map((name) => [name, structuredClone(valueOf(name))]));
  return {
    ...schema,
    ...(required.length > 0 && { required }),
    ...(missing.length > 0 && { properties: { ...properties, ...declared } }),
  };
}

/** Joins the schemas of undeclared properties, since an index signature applies to all properties. */
function joinAdditional(schema: PrintableSchema): PrintableSchema {
  const { patternProperties = {}, unevaluatedProperties, ...rest } = schema;
  const patterns = Object.values(patternProperties);
  const additional = rest.additionalProperties ?? unevaluatedProperties ?? (patterns.length > 0 ? true : undefined);
  if (additional === undefined) return rest;
  const others = [...patterns, ...(typeof additional === 'object' ? [additional] : [])];
  if (additional === true || others.length === 0) return { ...rest, additionalProperties: additional };
  const named = Object.values(rest.properties ?? {}).filter((property) => !isExcluded(property));
  return { ...rest, additionalProperties: structuredClone({ anyOf: [...others, ...named] }) };
}

/** Removes invalid values from `enum`: openapi-typescript prints all values, and adds `null` if `type` allows it. */
function printValues(schema: PrintableSchema): PrintableSchema {
  const { type, format, const: constant, enum: listed = [] } = schema;
  const values = 'const' in schema ? [constant] : listed;
  const rest = without(schema, [...APPLICATORS, 'const', 'enum']);
  if (describesInt64(schema)) return { ...rest, [INT64_VALUES]: values };
  if (isDecoded(schema) || format === 'binary') return rest;
  const types = type === undefined ? undefined : [type].flat();
  const valid = values.filter((value) => types === undefined || types.some((name) => hasType(value, name)));
  if (valid.some(hasBigint)) return rest;
  const annotations = without(
    rest,
    ASSERTIONS.filter((keyword) => keyword !== 'format'),
  );
  if ('const' in schema && valid.length > 0 && constant !== null) return { ...annotations, const: constant };
  // openapi-typescript treats `enum` values of an object as schemas.
  const kept = types?.filter((name) => name !== 'object' && (name !== 'null' || valid.includes(null))) ?? [];
  return { ...annotations, ...(kept.length > 0 && { type: kept.length === 1 ? kept[0] : kept }), enum: valid };
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value);
    case 'number':
      return typeof value === 'bigint' || typeof value === 'number';
    default:
      return typeof value === type;
  }
}

/** Returns whether a JSON value contains a bigint. */
export function hasBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(hasBigint);
}

/** Returns whether no value is valid for a property. */
function isExcluded(property: Subschema): boolean {
  return typeof property === 'object' && (property['readOnly'] === true || property['writeOnly'] === true);
}

/** Returns a schema without some keywords. Most schemas have none of them, and are not copied. */
function without(schema: PrintableSchema, keywords: readonly string[]): PrintableSchema {
  if (!keywords.some((keyword) => Object.hasOwn(schema, keyword))) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}

function only(schema: PrintableSchema, keywords: readonly string[]): PrintableSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));
}
