type Schema = {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly allOf?: readonly unknown[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly patternProperties?: Readonly<Record<string, unknown>>;
};

/**
 * Copies a schema without the subtleties that openapi-typescript renders as types of other values:
 *
 * - a discriminator, which is a constraint of its alternatives by now;
 * - `anyOf` and `oneOf` beside other keywords, which it renders as alternatives to them;
 * - properties required by a part of `allOf`, which stay optional in the other parts;
 * - required properties that are not declared, which it leaves out;
 * - `null` among the values of an `enum`, or as its type, where the other does not allow it;
 * - an `enum` of int64s, which it renders as numbers, and of objects, which it takes for schemas;
 * - additional properties whose type is not that of the named ones: no object literal would have the type.
 */
export function simplifySchema(schema: Schema): Schema {
  const kept = without(schema, 'discriminator');
  return [separateAlternatives, collectRequired, declareRequired, typeEnum, typeAdditional].reduce(
    (node, simplify) => simplify(node),
    kept,
  );
}

function separateAlternatives(schema: Schema): Schema {
  const { anyOf, oneOf, allOf = [], ...rest } = schema;
  const alternatives = [anyOf && { anyOf }, oneOf && { oneOf }].filter((part) => part !== undefined);
  const hasOthers =
    alternatives.length > 1 ||
    allOf.length > 0 ||
    ['type', 'properties', 'additionalProperties'].some((keyword) => keyword in rest);
  return alternatives.length > 0 && hasOthers ? { ...rest, allOf: [...allOf, ...alternatives] } : schema;
}

function collectRequired(schema: Schema): Schema {
  if (schema.allOf === undefined) return schema;
  const required = [...new Set([...(schema.required ?? []), ...schema.allOf.flatMap(requiredBy)])];
  const allOf = schema.allOf.filter((part) => Object.keys(part as Schema).some((keyword) => keyword !== 'required'));
  return required.length === 0 ? schema : { ...schema, allOf, required };
}

/** Returns the properties that a schema requires without those of its references. */
function requiredBy(node: unknown): readonly string[] {
  const { required = [], allOf = [] } = node as Schema;
  return [...required, ...allOf.flatMap(requiredBy)];
}

function declareRequired(schema: Schema): Schema {
  const { properties = {}, required = [], patternProperties, additionalProperties: additional = {} } = schema;
  const missing = required.filter((name) => !Object.hasOwn(properties, name));
  const isClosed = additional === false || patternProperties !== undefined || schema.allOf !== undefined;
  if (isClosed || missing.length === 0 || Object.keys(properties).length === 0) return schema;
  const declared = missing.map((name) => [name, additional === true ? {} : additional] as const);
  return { ...schema, properties: { ...properties, ...Object.fromEntries(declared) } };
}

function typeEnum(schema: Schema): Schema {
  const { enum: values, type, nullable, ...rest } = schema;
  const types = [type ?? []].flat();
  const isNullable = nullable === true || types.includes('null');
  if (types.includes('integer') && rest['format'] === 'int64') return without(schema, 'enum', 'const');
  if (types.includes('object') || rest.properties !== undefined) return without(schema, 'enum');
  if (values === undefined || type === undefined || values.includes(null) === isNullable) return schema;
  return isNullable
    ? { ...rest, enum: values, type: types.filter((name) => name !== 'null') }
    : { ...rest, enum: values.filter((member) => member !== null), type };
}

function typeAdditional(schema: Schema): Schema {
  const { patternProperties, additionalProperties, ...rest } = schema;
  const named = Object.values(rest.properties ?? {}).filter((property) => !isExcluded(property));
  const isTyped = typeof additionalProperties === 'object';
  if (patternProperties !== undefined && !isTyped && additionalProperties !== false)
    return { ...rest, additionalProperties: true };
  const others = [...Object.values(patternProperties ?? {}), ...(isTyped ? [additionalProperties] : [])];
  if (others.length === 0 || named.length === 0) return schema;
  return { ...rest, additionalProperties: { anyOf: [...others, ...named] } };
}

/** Whether no value is valid for a property. */
function isExcluded(property: unknown): boolean {
  const { readOnly, writeOnly } = property as Schema;
  return readOnly === true || writeOnly === true;
}

function without(schema: Schema, ...keywords: readonly string[]): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !keywords.includes(keyword)));
}
