import { keywordsWhere } from '@contract-first/contract';
import {
  componentName,
  discriminatorOf,
  namesOf,
  discriminatorValuesOf,
  type NormalizedSchema,
} from './discriminators.ts';
import type { Document } from '../document/document.ts';
import { type SchemaNames, unusedName } from '../document/names.ts';
import { describeProperties } from '../document/reference.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

const REFERENCE = '#/components/schemas/';
const IN_PLACE = keywordsWhere(({ holds, applicator }) => holds !== 'map' && applicator === 'in-place');

/** A schema with a discriminator, which other schemas extend. */
type Head = {
  readonly property: string;
  readonly mapping: Readonly<Record<string, string>>;
  /** The schemas that the discriminator may select, by name. */
  readonly members: readonly string[];
  /** Whether its `oneOf` or `anyOf` lists the members. */
  readonly isList: boolean;
};

/**
 * Rewrites schemas with a discriminator that other schemas extend by `allOf`, in place. The original schema becomes a
 * new component. Its old component becomes a `oneOf` of the extending schemas and the new component. The extending
 * schemas refer to the new component, so that no schema contains itself.
 *
 * @returns a warning for each unchecked discriminator
 */
export function expandInheritance(document: Document, schemaNames: SchemaNames): Diagnostic[] {
  const { schemas = {} } = (document.components ?? {}) as { readonly schemas?: Record<string, NormalizedSchema> };
  const parents = new Map(Object.entries(schemas).map(([name, schema]) => [name, references(schema, ['allOf'])]));
  const children = new Map<string, string[]>();
  for (const [child, names] of parents) {
    for (const parent of new Set(names)) children.set(parent, [...(children.get(parent) ?? []), child]);
  }
  const heads = findHeads();
  const warnings: Diagnostic[] = [];
  const unions = new Map<string, NormalizedSchema>();
  const bases = new Map<string, string>();
  const limits = new Map<string, () => void>(); // One per schema, which may have several heads.

  for (const [name, head] of heads) {
    if (containsItself(name, head)) ignore(name, `a schema that extends ${name} refers to it outside of allOf`);
  }
  const selections = new Map([...heads].map(([name, head]) => [name, head.isList ? undefined : select(name, head)]));
  for (const [name, { isList }] of heads) {
    const schema: NormalizedSchema = schemas[name] ?? {};
    const { discriminator, oneOf, anyOf, ...content } = schema;
    const { title, description } = content;
    const list = oneOf === undefined ? { anyOf } : { oneOf };
    unions.set(name, { title, description, ...(isList && { ...list, discriminator }) });
    const base = unusedName(`${name}Base`, (taken) => Object.hasOwn(schemas, taken));
    bases.set(name, base);
    schemas[base] = content;
  }
  for (const [name, { property, isList, members }] of heads) {
    const extended = members.filter((member) => member !== name);
    for (const child of children.get(name) ?? []) {
      // A schema that is not in the list may refer to the list.
      const isMember = !isList || extended.some((member) => member === child || descendantsOf(child).has(member));
      if (isMember) replaceReferences(schemas[bases.get(child) ?? child] ?? {}, name, bases.get(name) ?? name);
    }
    const selection = selections.get(name);
    if (selection === undefined) continue;
    const byMember = Map.groupBy(selection, ([, member]) => member);
    const mapping = [...selection].map(
      ([value, member]) => [value, REFERENCE + targetOf(name, property, member)] as const,
    );
    const others = extended.some((member) => !descendantsOf(name).has(member));
    unions.set(name, {
      ...unions.get(name),
      ...(others && { allOf: [{ $ref: REFERENCE + (bases.get(name) ?? '') }] }),
      oneOf: [
        ...[...byMember.keys()].map((member) => ({ $ref: REFERENCE + targetOf(name, property, member) })),
        ...(allowsNull(schemas[bases.get(name) ?? ''] ?? {}) ? [{ enum: [null] }] : []),
      ],
      discriminator: { propertyName: property, mapping: Object.fromEntries(mapping) },
    });
    for (const [member, entries] of byMember) {
      if (heads.has(member) || !descendantsOf(name).has(member) || discriminatorOf(schemas[member] ?? {})) continue;
      const values = entries.map(([value]) => value);
      limits.set(`${member} ${property}`, () => {
        constrain(schemas[member] ?? {}, describeProperties({ [property]: { type: 'string', enum: values } }));
      });
    }
  }
  for (const limit of limits.values()) limit();
  for (const [name, union] of unions) schemas[name] = withoutUndefined(union);
  return warnings;

  function findHeads(): Map<string, Head> {
    const found = new Map<string, Head>();
    for (const [name, schema] of Object.entries(schemas)) {
      const discriminator = discriminatorOf(schema);
      if (discriminator === undefined) continue;
      const { propertyName: property, mapping = {} } = discriminator;
      if (schema['oneOf'] !== undefined || schema['anyOf'] !== undefined) {
        const members = references({ ...schema, allOf: [] }, ['oneOf', 'anyOf']);
        const isExtended = members.some((member) => descendantsOf(name).has(member));
        if (isExtended) found.set(name, { property, mapping, members, isList: true });
        continue;
      }
      const extending = membersOf(name, property);
      const mapped = Object.values(mapping).flatMap((target) => componentOf(target, [...extending]) ?? []);
      const members = [...new Set([...extending, ...mapped])];
      if (members.length === 1 && !mapped.includes(name)) continue;
      found.set(name, { property, mapping, members, isList: false });
      for (const member of members) {
        const inner = [...membersOf(member, property)];
        const isInner = inner.length > 1 && descendantsOf(name).has(member) && !discriminatorOf(schemas[member] ?? {});
        if (isInner) found.set(member, { property, mapping, members: inner, isList: false });
      }
    }
    return found;
  }

  /** Returns a schema and its descendants. Does not descend into descendants with a different discriminator. */
  function membersOf(name: string, property: string, found = new Set<string>()): Set<string> {
    const isOther = found.size > 0 && (discriminatorOf(schemas[name] ?? {})?.propertyName ?? property) !== property;
    if (found.has(name)) return found;
    found.add(name);
    if (!isOther) for (const child of children.get(name) ?? []) membersOf(child, property, found);
    return found;
  }

  function descendantsOf(name: string, found = new Set<string>()): Set<string> {
    for (const child of children.get(name) ?? []) {
      if (found.has(child)) continue;
      found.add(child);
      descendantsOf(child, found);
    }
    return found;
  }

  /** Returns the selected member for each discriminator value; `undefined` if a value is ambiguous. */
  function select(name: string, { property, members, mapping }: Head): ReadonlyMap<string, string> | undefined {
    const selection = new Map<string, string>();
    for (const member of members) {
      const explicit = valuesFor(member, mapping) ?? valuesFor(member, mappingsOf(property));
      const names = explicit ?? namesOf(member, schemaNames);
      const values = discriminatorValuesOf(document, REFERENCE + member, property, names);
      for (const value of values) {
        // A schema that others extend may be abstract.
        if (heads.has(member) && !names.includes(String(value))) continue;
        const other = selection.get(String(value)) ?? member;
        if (other !== member || typeof value !== 'string') {
          ignore(name, `${String(value)} may be ${other} or ${member}; add a mapping`);
          return undefined;
        }
        selection.set(value, member);
      }
    }
    return selection;
  }

  function valuesFor(member: string, mapping: Head['mapping']): readonly string[] | undefined {
    const entries = Object.entries(mapping).filter(([, target]) => componentOf(target, [member]) === member);
    return entries.length === 0 ? undefined : entries.map(([value]) => value);
  }

  /** Returns the component that a value of a mapping names, preferably one of the members. */
  function componentOf(target: string, members: readonly string[]): string | undefined {
    return members.find((member) => namesOf(member, schemaNames).includes(target)) ?? componentName(document, target);
  }

  function mappingsOf(property: string): Head['mapping'] {
    const same = [...heads.values()].filter((head) => head.property === property);
    return Object.assign({}, ...same.map(({ mapping }) => mapping)) as Head['mapping'];
  }

  function targetOf(head: string, property: string, member: string): string {
    const isSame = member === head || heads.get(member)?.property === property;
    return isSame ? (bases.get(member) ?? member) : member;
  }

  function ignore(name: string, reason: string): void {
    const pointer = `${REFERENCE}${name}/discriminator`;
    warnings.push({ pointer, message: `the discriminator is not checked: ${reason}` });
    heads.delete(name);
    delete schemas[name]?.['discriminator'];
  }

  /** Returns whether a member refers to the head for the same value, other than by `allOf`. */
  function containsItself(head: string, { members }: Head): boolean {
    const visited = new Set<string>();
    const visit = (name: string, keywords: readonly string[]): boolean => {
      const key = `${name} ${keywords.join()}`;
      if (visited.has(key)) return false;
      visited.add(key);
      const schema = schemas[name] ?? {};
      const extended = references(schema, ['allOf']);
      const others = references(schema, keywords).filter((other) => !extended.includes(other));
      return (
        extended.some((parent) => visit(parent, heads.has(parent) ? ['allOf'] : IN_PLACE)) ||
        others.some((other) => other === head || visit(other, IN_PLACE))
      );
    };
    return members.some((member) => member !== head && visit(member, IN_PLACE));
  }
}

/** Returns the names of the components that a schema refers to in the lists of some keywords. */
function references(schema: NormalizedSchema, keywords: readonly string[]): string[] {
  const parts = keywords.flatMap((keyword) => schema[keyword] ?? []);
  return parts.flatMap((part) => {
    const { $ref: reference, ...rest } = Object(part) as NormalizedSchema;
    const own = typeof reference === 'string' ? [reference.slice(REFERENCE.length)] : [];
    return [...own, ...references(rest, keywords)];
  });
}

function replaceReferences(schema: NormalizedSchema, from: string, to: string): void {
  for (const part of (schema['allOf'] ?? []) as readonly NormalizedSchema[]) {
    if (part['$ref'] === REFERENCE + from) part['$ref'] = REFERENCE + to;
    replaceReferences(part, from, to);
  }
}

function constrain(schema: NormalizedSchema, part: NormalizedSchema): void {
  schema['allOf'] = [...((schema['allOf'] ?? []) as readonly NormalizedSchema[]), part];
}

function allowsNull({ type }: NormalizedSchema): boolean {
  return [type].flat().includes('null');
}

function withoutUndefined(schema: NormalizedSchema): NormalizedSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
