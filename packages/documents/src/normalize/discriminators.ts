import type { Document } from '../document/document.ts';
import type { SchemaNames } from '../document/names.ts';
import {
  asSchema,
  dereference,
  describeProperties,
  describedProperties,
  resolveSchema,
  schemasInPlace,
  type SchemaObject,
} from '../document/reference.ts';
import type { Diagnostic } from '../read/diagnostic.ts';
import { walkDocument } from '../document/walk.ts';

/** A schema object of a normalized document. */
export type NormalizedSchema = Record<string, unknown>;
type Discriminator = { readonly propertyName: string; readonly mapping?: Readonly<Record<string, string>> };

/**
 * Completes the discriminators beside `oneOf` and `anyOf`, in place, so that `mapping` contains every value with a
 * reference from the list. Removes other discriminators.
 *
 * @returns a warning for each unchecked part of a discriminator
 */
export function completeDiscriminators(document: Document, names: SchemaNames): Diagnostic[] {
  const warnings: Diagnostic[] = [];
  walkDocument(document, ({ kind, node, pointer }) => {
    const discriminator = kind === 'schema' ? discriminatorOf(node) : undefined;
    if (discriminator === undefined) return;
    // With `defaultMapping` (OpenAPI 3.2), other values select the default, so that only the list is validated.
    if ('defaultMapping' in discriminator) {
      Reflect.deleteProperty(node, 'discriminator');
      return;
    }
    const place = `${pointer}/discriminator`;
    const warn = (message: string): void => void warnings.push({ pointer: place, message });
    const references = alternativesOf(asSchema(node) ?? {}).flatMap((alternative) => {
      const reference = asSchema(alternative)?.$ref;
      return reference !== undefined && mayBeObject(document, alternative) ? [reference] : [];
    });
    const explicit = targetsOf(document, discriminator, references, names, warn);
    const mapping = assignValues(
      references.map((reference) => ({
        reference,
        values: discriminatorValuesOf(
          document,
          reference,
          discriminator.propertyName,
          explicit.get(reference) ?? namesOf(reference, names),
        ),
      })),
      warn,
    );
    if (mapping === undefined) Reflect.deleteProperty(node, 'discriminator');
    else (node as NormalizedSchema)['discriminator'] = { propertyName: discriminator.propertyName, mapping };
  });
  return warnings;
}

/** Returns the OpenAPI 3 discriminator of a schema, if any. */
export function discriminatorOf({ discriminator }: Readonly<NormalizedSchema>): Discriminator | undefined {
  const { propertyName } = Object(discriminator) as Partial<Discriminator>;
  return typeof propertyName === 'string' ? (discriminator as Discriminator) : undefined;
}

/** Returns the name of the schema component for a reference or `mapping` value; `undefined` if it does not exist. */
export function componentName(document: Document, target: string): string | undefined {
  const schemas = document.components?.schemas ?? {};
  const name = /^#\/components\/schemas\/([^/]+)$/.exec(target)?.[1] ?? target;
  return Object.hasOwn(schemas, name) ? name : undefined;
}

/** Returns the names of a component for its authors. */
export function namesOf(reference: string, names: SchemaNames): readonly string[] {
  const name = reference.split('/').at(-1) ?? '';
  return names.get(name) ?? [name];
}

/**
 * Returns the values of a discriminator that select a schema. The values that the schema itself allows for the property
 * limit or replace its names.
 *
 * @param names the values of the mapping, or else the names of the schema
 */
export function discriminatorValuesOf(
  document: Document,
  reference: string,
  property: string,
  names: readonly string[],
): readonly unknown[] {
  const own = ownValues(document, { $ref: reference }, property);
  const common = names.filter((name) => own?.includes(name) !== false);
  return common.length > 0 ? common : (own ?? []);
}

/** Adds the discriminator values to each alternative of a schema, and removes the discriminator. */
export function constrainAlternatives(schema: Readonly<NormalizedSchema>): Readonly<NormalizedSchema> {
  const { propertyName, mapping = {} } = discriminatorOf(schema) ?? {};
  const keyword = schema['oneOf'] === undefined ? 'anyOf' : 'oneOf';
  if (propertyName === undefined || !Array.isArray(schema[keyword])) return schema;
  const alternatives = schema[keyword].map((alternative: unknown) => {
    const reference = asSchema(alternative)?.$ref;
    const entries = Object.entries(mapping).filter(([, target]) => String(reference).endsWith(target));
    if (entries.length === 0) return alternative;
    const values = entries.map(([value]) => value);
    const property = describeProperties({ [propertyName]: { type: 'string', enum: values } });
    return { allOf: [alternative, { type: 'object', required: [propertyName], ...property }] };
  });
  const constrained: NormalizedSchema = { ...schema, [keyword]: alternatives };
  delete constrained['discriminator'];
  return constrained;
}

function alternativesOf({ oneOf, anyOf }: SchemaObject): readonly unknown[] {
  return oneOf ?? anyOf ?? [];
}

/** Returns the mapping values of each reference in a list. */
function targetsOf(
  document: Document,
  { mapping = {} }: Discriminator,
  references: readonly string[],
  names: SchemaNames,
  warn: (message: string) => void,
): ReadonlyMap<string, readonly string[]> {
  const targets = new Map<string, string[]>();
  for (const [value, target] of Object.entries(mapping)) {
    const name = componentName(document, target);
    const schema = dereference<unknown>(document, {
      $ref: name === undefined ? target : `#/components/schemas/${name}`,
    });
    const reference =
      references.find((listed) => namesOf(listed, names).includes(target)) ??
      references.find((listed) => dereference(document, { $ref: listed }) === schema);
    if (reference !== undefined) targets.set(reference, [...(targets.get(reference) ?? []), value]);
    else if (schema === undefined) warn(`the mapping of ${value} is ignored: there is no schema ${target}`);
    else warn(`the mapping of ${value} is ignored: list ${target} in oneOf`);
  }
  return targets;
}

/** Returns the complete mapping; `undefined` if it cannot be derived or a value is ambiguous. */
function assignValues(
  entries: readonly { readonly reference: string; readonly values: readonly unknown[] }[],
  warn: (message: string) => void,
): Readonly<Record<string, string>> | undefined {
  const mapping = new Map<string, string>();
  for (const { reference, values } of entries) {
    for (const value of values) {
      if (typeof value !== 'string') return undefined; // Only the schemas can validate it.
      const other = mapping.get(value) ?? reference;
      if (other !== reference) {
        warn(`the discriminator is not checked: ${value} may be ${other} or ${reference}; add a mapping`);
        return undefined;
      }
      mapping.set(value, reference);
    }
  }
  return mapping.size === 0 ? undefined : Object.fromEntries(mapping);
}

/** Returns the values that `const` and `enum` allow for a property; `undefined` if the property has neither. */
function ownValues(document: Document, node: unknown, property: string): readonly unknown[] | undefined {
  const limits = [...schemasInPlace(document, node, ['allOf'])].map((part) => {
    const properties = describedProperties(part);
    return Object.hasOwn(properties, property) ? limitsOf(document, properties[property]) : undefined;
  });
  const [first, ...others] = limits.filter((values) => values !== undefined);
  return first?.filter((value) => others.every((values) => values.includes(value)));
}

function limitsOf(document: Document, node: unknown): readonly unknown[] | undefined {
  const schema = resolveSchema(document, node);
  return 'const' in schema ? [schema['const']] : schema.enum;
}

function mayBeObject(document: Document, node: unknown): boolean {
  const { type } = resolveSchema(document, node);
  return type === undefined || [type].flat().includes('object');
}
