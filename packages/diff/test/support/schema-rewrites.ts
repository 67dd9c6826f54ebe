import { isObjectOrList, asObject } from '../../src/nodes/node.ts';
import type { RandomSchema } from './random-schemas.ts';

/** Keywords that depend on each other and stay together. */
const GROUPS: readonly (readonly string[])[] = [
  ['properties', 'patternProperties', 'additionalProperties'],
  ['prefixItems', 'items'],
  ['contains', 'minContains', 'maxContains'],
  ['if', 'then', 'else'],
];

/**
 * Returns an `allOf` of the keywords of a schema, each with its type. Keywords that depend on the evaluation by all
 * others stay beside the `allOf`.
 */
export function splitIntoAllOf(schema: RandomSchema): RandomSchema {
  const { type, ...keywords } = schema;
  // The keywords imply a type together.
  if (type === undefined) return { allOf: [schema] };
  const groups = new Map<string, [string, unknown][]>();
  for (const [name, value] of Object.entries(keywords)) {
    const key = name.startsWith('unevaluated') ? '' : (GROUPS.find((group) => group.includes(name))?.[0] ?? name);
    groups.set(key, [...(groups.get(key) ?? []), [name, value]]);
  }
  const { '': rest = {}, ...parts } = Object.fromEntries(
    [...groups].map(([key, entries]) => [key, Object.fromEntries(entries)] as const),
  );
  return { ...rest, allOf: [{ type }, ...Object.values(parts).map((part) => ({ type, ...part }))] };
}

/** The keywords that have the same meaning in OpenAPI 3.0, except `not`, which is compared as text. */
const SHARED = new Set([
  ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum', 'multipleOf', 'enum'],
  ...['items', 'minItems', 'maxItems', 'uniqueItems', 'allOf', 'anyOf', 'oneOf'],
  ...['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
]);

/** Converts the part of a schema that OpenAPI 3.0 supports. */
export function asVersion30(schema: RandomSchema): RandomSchema {
  const names = [schema['type'] ?? []].flat().map(String);
  const type = names.find((name) => name !== 'null');
  const nullable = type !== undefined && names.includes('null');
  const shared = Object.entries(schema).filter(
    ([name, value]) => SHARED.has(name) && !(name === 'items' && value === false),
  );
  const { enum: values, ...rest } = withParts(Object.fromEntries(shared), asVersion30);
  return {
    ...(type !== undefined && { type }),
    ...(nullable && { nullable }),
    ...(values !== undefined && { enum: nullable ? [...new Set([values, null].flat())] : values }),
    ...rest,
    ...exclusive(schema, 'minimum', 'exclusiveMinimum'),
    ...exclusive(schema, 'maximum', 'exclusiveMaximum'),
  };
}

/** Converts a schema of OpenAPI 3.0 to 3.1. */
export function asVersion31(schema: RandomSchema): RandomSchema {
  const { type, nullable, minimum, exclusiveMinimum, maximum, exclusiveMaximum, ...rest } = schema;
  return {
    ...(type !== undefined && { type: nullable === true ? [type, 'null'] : type }),
    ...(minimum !== undefined && { [exclusiveMinimum === true ? 'exclusiveMinimum' : 'minimum']: minimum }),
    ...(maximum !== undefined && { [exclusiveMaximum === true ? 'exclusiveMaximum' : 'maximum']: maximum }),
    ...withParts(rest, asVersion31),
  };
}

/** Converts an exclusive limit to OpenAPI 3.0. */
function exclusive(schema: RandomSchema, inclusiveName: string, exclusiveName: string): RandomSchema {
  const limit = schema[exclusiveName];
  return limit === undefined ? {} : { [inclusiveName]: limit, [exclusiveName]: true };
}

/** Rewrites the schemas inside a schema. */
function withParts(schema: RandomSchema, rewrite: (part: RandomSchema) => RandomSchema): RandomSchema {
  const part = (value: unknown): unknown => (isObjectOrList(value) ? rewrite(value) : value);
  const entries = Object.entries(schema).map(([name, value]): readonly [string, unknown] => {
    if (['items', 'additionalProperties'].includes(name)) return [name, part(value)];
    if (['allOf', 'anyOf', 'oneOf'].includes(name)) return [name, [value].flat().map(part)];
    if (name !== 'properties') return [name, value];
    return [name, Object.fromEntries(Object.entries(asObject(value)).map(([key, inner]) => [key, part(inner)]))];
  });
  return Object.fromEntries(entries);
}
