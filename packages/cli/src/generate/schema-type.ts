import { dereference, isDecoded, isInt64, tokensOf, type Document } from '@contract-first/documents';
import {
  array,
  generic,
  intersection,
  literal,
  member,
  NEVER,
  NULL,
  object,
  otherMembers,
  STRING,
  tuple,
  typeNamed,
  union,
  UNKNOWN,
  type Documented,
  type Type,
} from './type-text.ts';

/** The keywords of a schema that decide about its type. */
type Schema = Documented & {
  readonly $ref?: string;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Schemas;
  readonly patternProperties?: Schemas;
  readonly additionalProperties?: Schema | boolean;
  readonly prefixItems?: readonly (Schema | boolean)[];
  readonly items?: Schema | boolean;
  readonly minItems?: number;
  readonly allOf?: readonly (Schema | boolean)[];
  readonly anyOf?: readonly (Schema | boolean)[];
  readonly oneOf?: readonly (Schema | boolean)[];
  readonly $defs?: Schemas;
};
type Schemas = Readonly<Record<string, Schema | boolean>>;

/** Makes properties required; a type that may be null stays so. */
export const WITH_REQUIRED =
  'type WithRequired<T, K extends PropertyKey> = T extends object ? T & {\n    [P in K & keyof T]-?: T[P];\n} : T;';

/** The type of the application for the strings of a format. */
export const DECODED_TYPE =
  'type Decoded<Name extends keyof typeof formats> = ReturnType<(typeof formats)[Name]["decode"]>;';

const BLOB = typeNamed('Blob');
const ANY_OBJECT = generic('Record', STRING, UNKNOWN);

/** Renders the schemas of a document as types. */
export type SchemaTypes = {
  readonly typeOf: (schema: unknown) => Type;
  readonly referenceTo: (reference: string) => Type;
};

/**
 * Creates the renderer of the schemas of a typed document ({@link toTypedDocument}).
 *
 * @param aliases the names of the types for schemas that contain themselves, by the names of the schemas
 */
export function createSchemaTypes(document: Document, aliases: ReadonlyMap<string, string>): SchemaTypes {
  // The linter has checked the shape of schemas.
  return { typeOf: (schema) => typeOf(schema as Schema | boolean | undefined), referenceTo };

  /** @param outer the properties that the schemas around it require */
  function typeOf(schema: Schema | boolean | undefined, outer: readonly string[] = []): Type {
    if (schema === undefined || schema === false) return NEVER;
    if (schema === true) return UNKNOWN;
    const fixed = fixedTypeOf(schema);
    if (fixed !== undefined) return fixed;
    if (schema.$ref !== undefined) return referenceTo(schema.$ref);
    const values = valuesOf(schema);
    if (values !== undefined) return union(values.map(literal));
    const { allOf = [], anyOf, oneOf } = schema;
    const required = [...new Set([...outer, ...requiredBy(schema)])];
    const parts = [
      ownTypeOf(schema, required),
      ...allOf.map((part) => partOf(part, required)),
      ...[anyOf, oneOf].map((alternatives) => alternatives && union(alternatives.map((part) => typeOf(part)))),
    ].filter((part) => part !== undefined);
    return parts.length > 0 ? intersection(parts) : 'type' in schema ? ANY_OBJECT : UNKNOWN;
  }

  function referenceTo(reference: string): Type {
    const [root = '', kind = '', name = '', ...rest] = tokensOf(reference);
    const isSchema = root === 'components' && kind === 'schemas';
    const alias = isSchema ? aliases.get(name) : undefined;
    const path = [...(alias === undefined ? [kind, name] : []), ...rest.filter((token) => token !== 'properties')];
    const text = (alias ?? root) + path.map((token) => `[${JSON.stringify(token)}]`).join('');
    return typeNamed(text, isSchema ? [name] : []);
  }

  /** Returns the type of a part of `allOf`, with the properties that the whole requires. */
  function partOf(part: Schema | boolean, required: readonly string[]): Type {
    if (typeof part === 'boolean') return typeOf(part);
    if (part.$ref === undefined) return typeOf(part, required);
    const { properties = {} } = dereference(document, part) as Schema;
    const names = required.filter((name) => Object.hasOwn(properties, name));
    return names.length === 0 ? typeOf(part) : generic('WithRequired', typeOf(part), union(names.map(literal)));
  }

  /** Returns a type that no other keyword changes; `undefined` for other schemas. */
  function fixedTypeOf(schema: Schema): Type | undefined {
    const { type, format, readOnly, writeOnly, prefixItems, items = true, minItems = 0 } = schema;
    const types = [type ?? []].flat();
    const orNull = (given: Type): Type => (types.includes('null') ? union([given, NULL]) : given);
    // A directed schema has these marks only where no value is valid.
    if (readOnly === true || writeOnly === true) return NEVER;
    // TypeScript rejects a recursive union as a part of an intersection.
    if (type === 'null') return NULL;
    if (isInt64(schema)) return orNull(typeNamed('bigint'));
    if (isDecoded(schema)) return orNull(generic('Decoded', literal(format)));
    if (format === 'binary' && types.includes('string')) return orNull(BLOB);
    if (type === 'object' && isClosed(schema)) return generic('Record', STRING, NEVER);
    if (type !== 'array' || prefixItems === undefined) return undefined;
    const members = prefixItems.map((item) => typeOf(item));
    return tuple(members.slice(0, minItems), members.slice(minItems), items === false ? undefined : typeOf(items));
  }

  /** Returns the type of a schema without its alternatives and `allOf`; `undefined` where it has none. */
  function ownTypeOf(schema: Schema, required: readonly string[]): Type | undefined {
    const { type } = schema;
    if (Array.isArray(type)) {
      const single = type.map((name: string): Schema => ({ ...schema, type: name }));
      return union(single.map((part) => fixedTypeOf(part) ?? ownTypeOf(part, required) ?? ANY_OBJECT));
    }
    if (type === 'string' || type === 'boolean') return typeNamed(type);
    if (type === 'number' || type === 'integer') return typeNamed('number');
    if (type === 'array') return array(typeOf(schema.items ?? true));
    return objectOf(schema, required);
  }

  function objectOf(schema: Schema, required: readonly string[]): Type | undefined {
    const { properties = {}, required: own = [], patternProperties, additionalProperties, $defs, allOf } = schema;
    const members = Object.entries(properties).map(([name, property]) => {
      const documented = typeof property === 'boolean' ? undefined : property;
      return member(name, typeOf(property), { isOptional: !required.includes(name), documented });
    });
    const isOpen = additionalProperties !== false && patternProperties === undefined && allOf === undefined;
    if (isOpen && members.length > 0)
      for (const name of own)
        if (!Object.hasOwn(properties, name)) members.push(member(name, typeOf(additionalProperties ?? true)));
    const definitions = Object.entries($defs ?? {}).map(([name, definition]) => member(name, typeOf(definition)));
    if (definitions.length > 0) members.push(member('$defs', object(definitions)));
    const others = additionalTypeOf(schema);
    const parts = [
      ...(members.length > 0 ? [object(members)] : []),
      ...(others === undefined ? [] : [object([otherMembers('key', others)])]),
    ];
    return parts.length === 0 ? undefined : intersection(parts);
  }

  /** Returns the type of the properties without names, which is that of the named ones, too: an object literal has both. */
  function additionalTypeOf({ properties = {}, patternProperties, additionalProperties }: Schema): Type | undefined {
    const isTyped = typeof additionalProperties === 'object';
    const isUntyped =
      additionalProperties === true || (patternProperties !== undefined && additionalProperties === undefined);
    if (isUntyped) return UNKNOWN;
    const others = [...(isTyped ? [additionalProperties] : []), ...Object.values(patternProperties ?? {})];
    if (others.length === 0) return undefined;
    return union(
      [...others, ...Object.values(properties).filter((property) => !isExcluded(property))].map((part) => typeOf(part)),
    );
  }
}

/** Returns the values of a schema that lists them; `undefined` for others, and for lists of int64s and objects. */
function valuesOf(schema: Schema): readonly unknown[] | undefined {
  const { type, enum: values, properties, additionalProperties } = schema;
  const types = [type ?? []].flat();
  if (isInt64(schema)) return undefined;
  if ('const' in schema) return [schema.const];
  if (types.includes('object') || properties !== undefined || additionalProperties !== undefined) return undefined;
  const isNullable = type === undefined || types.includes('null');
  return isNullable ? values : values?.filter((value) => value !== null);
}

/** Returns the properties that a schema requires without those of its references. */
function requiredBy(schema: Schema | boolean): readonly string[] {
  if (typeof schema === 'boolean') return [];
  return [...(schema.required ?? []), ...(schema.allOf ?? []).flatMap(requiredBy)];
}

/** Whether no value is valid for a property. */
function isExcluded(property: Schema | boolean): boolean {
  return typeof property === 'object' && (property.readOnly === true || property.writeOnly === true);
}

/** Whether an object has no properties, neither named nor others. */
function isClosed({ properties = {}, patternProperties, additionalProperties }: Schema): boolean {
  return additionalProperties === false && patternProperties === undefined && Object.keys(properties).length === 0;
}
