import { stringifyJson } from '@contract-first/contract';
import { resolveReference } from '@contract-first/documents';
import {
  isArray,
  isObject,
  type Json,
  membersOf,
  type Oracle,
  type Schema,
  type SchemaDocument,
  type SchemaObject,
} from '@contract-first/model/values';
import type { Counter } from './tally.ts';

/** The branches of some schemas: whether properties are present, the alternatives of lists, and the values of `enum`. */
export type SchemaBranches = {
  /** Adds the branches of a schema. A schema that is used in several places counts once, at the first. */
  readonly add: (schema: Schema | undefined, place: string) => void;
  /** Marks the branches that a value takes. */
  readonly mark: (schema: Schema | undefined, value: Json) => void;
};

// The schemas of an operation beyond this number, which are the deepest, are not counted.
const MAX_SCHEMAS = 1_000;

/** Creates an empty set of branches, whose names are counted. */
export function createSchemaBranches(schemas: SchemaDocument, oracle: Oracle, counter: Counter): SchemaBranches {
  const places = new Map<SchemaObject, string>();
  return { add, mark };

  function add(root: Schema | undefined, rootPlace: string): void {
    // The loop appends to the list that it iterates over.
    const found = [{ schema: root, place: rootPlace, isInAlternative: false }];
    for (const { schema, place, isInAlternative } of found) {
      if (!isSchemaObject(schema) || places.has(schema) || places.size >= MAX_SCHEMAS) continue;
      places.set(schema, place);
      for (const value of listOf(schema, 'enum')) counter.expect(valueName(place, value));
      for (const [name, property] of propertiesOf(schema)) {
        counter.expect(propertyName(place, name, 'present'));
        // Without a required property, a value is not of the alternative.
        const mustBePresent = isInAlternative && listOf(schema, 'required').includes(name);
        if (!mustBePresent) counter.expect(propertyName(place, name, 'absent'));
        found.push({ schema: property, place: `${place}.${name}`, isInAlternative });
      }
      for (const [index, { keyword, part }] of alternativesOf(schema).entries()) {
        const name = alternativeName(place, keyword, part, index);
        counter.expect(name);
        found.push({ schema: part, place: name, isInAlternative: true });
      }
      for (const part of partsOf(schema)) found.push({ schema: part, place, isInAlternative });
      found.push({ schema: itemsOf(schema), place: `${place}[]`, isInAlternative });
    }
  }

  function mark(schema: Schema | undefined, value: Json): void {
    const place = isSchemaObject(schema) ? places.get(schema) : undefined;
    if (!isSchemaObject(schema) || place === undefined) return;
    if (schema['enum'] !== undefined) counter.mark(valueName(place, value));
    if (isObject(value)) {
      for (const [name, property] of propertiesOf(schema)) {
        const isPresent = Object.hasOwn(value, name);
        counter.mark(propertyName(place, name, isPresent ? 'present' : 'absent'));
        if (isPresent) mark(property, value[name] ?? null);
      }
    }
    for (const [index, { keyword, part }] of alternativesOf(schema).entries()) {
      if (!oracle.allows(part, value)) continue;
      counter.mark(alternativeName(place, keyword, part, index));
      mark(part, value);
    }
    for (const part of partsOf(schema)) mark(part, value);
    if (isArray(value)) for (const [, item] of membersOf(value)) mark(itemsOf(schema), item);
  }

  /** Returns the schemas that the same value must match, too. */
  function partsOf(schema: SchemaObject): readonly Schema[] {
    const { $ref: reference } = schema;
    const isKnown = typeof reference === 'string' && reference.startsWith(schemas.id);
    // The linter has followed the reference.
    const target = isKnown ? [resolveReference(schemas.document, reference.slice(schemas.id.length)) as Schema] : [];
    return [...target, ...(listOf(schema, 'allOf') as readonly Schema[])];
  }
}

const valueName = (place: string, value: unknown): string => `${place} = ${stringifyJson(value)}`;
const propertyName = (place: string, name: string, state: 'present' | 'absent'): string => `${place}.${name} ${state}`;

// The linter has checked the shapes of these keywords.

function listOf(schema: SchemaObject, keyword: string): readonly unknown[] {
  return (schema[keyword] ?? []) as readonly unknown[];
}

function propertiesOf({ properties = {} }: SchemaObject): readonly (readonly [string, Schema])[] {
  return Object.entries(properties as Readonly<Record<string, Schema>>);
}

function itemsOf({ items }: SchemaObject): Schema | undefined {
  return items as Schema | undefined;
}

function alternativesOf(schema: SchemaObject): readonly { readonly keyword: string; readonly part: Schema }[] {
  return ['oneOf', 'anyOf'].flatMap((keyword) =>
    (listOf(schema, keyword) as readonly Schema[]).map((part) => ({ keyword, part })),
  );
}

/** Names an alternative by its component, or by its number. */
function alternativeName(place: string, keyword: string, part: Schema, index: number): string {
  const { $ref: own, allOf = [] } = Object(part) as SchemaObject;
  // An alternative with a discriminator is the reference and its values.
  const reference = own ?? (Object((allOf as readonly Schema[])[0]) as SchemaObject)['$ref'];
  const name = typeof reference === 'string' ? reference.replace(/^.*\//s, '') : String(index + 1);
  return `${place} ${keyword} ${name}`;
}

function isSchemaObject(schema: Schema | undefined): schema is SchemaObject {
  return typeof schema === 'object';
}
