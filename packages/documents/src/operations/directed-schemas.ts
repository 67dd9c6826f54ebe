import { IN_PLACE_LISTS, SCHEMA_KEYWORDS } from '@contract-first/contract';
import { TooMany } from '../document/expansion-limit.ts';
import { mapValues } from '../document/map-values.ts';
import { findReaching, PREFIX, type Schemas } from '../document/reaching.ts';
import { type InPlaceList, describedProperties, PROTOTYPE_PATTERN, type SchemaObject } from '../document/reference.ts';

/**
 * The use of a schema: a request as sent by clients, a request with defaults as received by handlers, a response, or a
 * condition, which only selects another schema.
 */
export type Direction = 'sent' | 'received' | 'response' | 'condition';

/** Derives the schemas for each direction from the shared schemas of the document. */
export type DirectedSchemas = {
  /**
   * Returns a schema for one direction. Excluded properties (`readOnly` in requests, `writeOnly` in responses) are
   * optional and marked: no value is valid. `received` schemas keep each `default` that is inserted, completed with the
   * defaults of its properties.
   */
  readonly of: (schema: unknown, direction: Direction) => unknown;
  /** Returns the schema of a parameter as received by handlers. It has a `default` only if the default is inserted. */
  readonly parameter: (schema: unknown, isRequired: boolean) => unknown;
  /** Returns the properties that a schema, including references and `allOf`, excludes from a direction. */
  readonly excludedBy: (schema: unknown, direction: Direction) => ReadonlySet<string>;
  /**
   * The targets of the `$ref`s in returned schemas, by name. Response schemas keep the original name; other directions
   * have separate names if they differ.
   */
  readonly schemas: Readonly<Record<string, unknown>>;
};

const NO_NAMES: ReadonlySet<string> = new Set();
const ALL_OF = ['allOf'] as const;
const MARKS = { sent: 'readOnly', received: 'readOnly', response: 'writeOnly', condition: undefined } as const;
// A schema without these keywords is the same in each direction.
const MEMBERS = ['$ref', 'properties', 'patternProperties', 'items', 'additionalProperties', ...IN_PLACE_LISTS];
// Normalization has moved `$defs` and `definitions` to components.
const DROPPED = new Set(['readOnly', 'writeOnly', 'default', '$defs', 'definitions', 'required']);

// The maximum number of nested defaults in one default, which may grow exponentially.
const MAX_DEFAULTS = 10_000;

/** Creates the directed schemas of a document. @param originals the targets of `$ref`s, by name */
export function createDirectedSchemas(originals: Schemas): DirectedSchemas {
  const schemas: Record<string, unknown> = {};
  const names = new Map<string, string>();
  let completed = 0;
  const marked = findReaching(originals, isMark);
  const withDefault = findReaching(originals, (key) => key === 'default');
  return {
    of: (schema, direction) => direct(schema, direction, NO_NAMES),
    parameter: withDefaultOf,
    excludedBy,
    schemas,
  };

  /** @param inherited the properties that other schemas of the same value exclude */
  function direct(node: unknown, direction: Direction, inherited: ReadonlySet<string>): unknown {
    if (!isObject(node)) return node;
    const excluded = union(inherited, excludedBy(node, direction));
    const optional = union(inherited, excludedBy(node, direction, IN_PLACE_LISTS));
    const mark = MARKS[direction];
    const alternative = direction === 'received' ? 'sent' : direction; // Alternatives may have conflicting defaults.
    const required = node.required === undefined ? NO_NAMES : new Set(node.required).difference(optional);
    const property = (schema: unknown, name: string): unknown => {
      if (mark !== undefined && excluded.has(name)) return { [mark]: true };
      return direction === 'received' ? withDefaultOf(schema, required.has(name)) : direct(schema, direction, NO_NAMES);
    };
    const pattern = (schema: unknown, text: string): unknown =>
      mark !== undefined && text === PROTOTYPE_PATTERN && excluded.has('__proto__')
        ? { [mark]: true }
        : direct(schema, direction, NO_NAMES);
    const member = (value: unknown, key: string): unknown => {
      switch (key) {
        case '$ref':
          return refer(String(value), direction, excluded);
        case 'properties':
          return mapValues(value as Schemas, property);
        case 'patternProperties':
          return mapValues(value as Schemas, pattern);
        case 'discriminator':
          return directDiscriminator(value, alternative, excluded);
        default:
          return directKeyword(value, key);
      }
    };
    const directKeyword = (value: unknown, key: string): unknown => {
      const { holds, applicator, role } = SCHEMA_KEYWORDS[key] ?? {};
      if (applicator === undefined) return value;
      const own = role === 'assertion' ? direction : role === 'alternative' ? alternative : 'condition';
      const names = applicator === 'in-place' && role !== 'condition' ? excluded : NO_NAMES;
      const part = (schema: unknown): unknown => direct(schema, own, names);
      if (holds === 'map') return mapValues(value as Schemas, part);
      return holds === 'list' ? (value as readonly unknown[]).map(part) : part(value);
    };
    const result: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(node)) if (!DROPPED.has(key)) result[key] = member(value, key);
    if (required.size > 0) result['required'] = [...required];
    return result;
  }

  /** Rewrites the mapping of a discriminator to the directed targets. */
  function directDiscriminator(value: unknown, direction: Direction, excluded: ReadonlySet<string>): unknown {
    const { mapping = {} } = value as { readonly mapping?: Schemas };
    return {
      ...(value as object),
      mapping: mapValues(mapping, (target) => refer(String(target), direction, excluded)),
    };
  }

  function withDefaultOf(schema: unknown, isRequired: boolean): unknown {
    const result = direct(schema, 'received', NO_NAMES);
    completed = 0;
    const value = isRequired ? undefined : completeDefaultOf(schema, []);
    if (value === undefined) return result;
    const { $ref: reference, allOf = [], ...rest } = result as { $ref?: string; allOf?: readonly unknown[] };
    // OpenAPI 3.0 ignores siblings of `$ref`.
    return reference === undefined
      ? { ...(result as object), default: value }
      : { ...rest, allOf: [...allOf, { $ref: reference }], default: value };
  }

  /** Returns a reference to the directed target of a reference. Creates the target once. */
  function refer(reference: string, wanted: Direction, inherited: ReadonlySet<string>): string {
    const original = reference.slice(PREFIX.length);
    if (!reference.startsWith(PREFIX) || !Object.hasOwn(originals, original)) return reference;
    const target = originals[original];
    const unknown = inherited.size === 0 ? inherited : inherited.difference(excludedBy(target, wanted));
    const extra = unknown.size === 0 ? [] : [...unknown.intersection(mentionedBy(target))].sort();
    let direction = isObject(target) && MEMBERS.some((keyword) => keyword in target) ? wanted : 'response';
    if (direction === 'received' && !withDefault.has(original)) direction = 'sent';
    if (direction !== 'received' && extra.length === 0 && !marked.has(original)) direction = 'response';

    const key = JSON.stringify([original, direction, ...extra]);
    const created = names.get(key);
    if (created !== undefined) return PREFIX + created;
    const base = direction === 'response' && extra.length === 0 ? original : `${original}.${direction}`;
    let name = base;
    const isTaken = (): boolean =>
      name !== original && (Object.hasOwn(originals, name) || Object.hasOwn(schemas, name));
    for (let number = 2; isTaken(); number += 1) name = `${base}${String(number)}`;
    names.set(key, name);
    schemas[name] = undefined; // Reserves the name for recursive references.
    schemas[name] = direct(target, direction, new Set(extra));
    return PREFIX + name;
  }

  /** Returns the properties that a schema, or another schema of the same value, excludes from a direction. */
  function excludedBy(
    node: unknown,
    direction: Direction,
    keywords: readonly InPlaceList[] = ALL_OF,
  ): ReadonlySet<string> {
    const mark = MARKS[direction];
    if (mark === undefined) return NO_NAMES;
    const excluded = new Set<string>();
    for (const part of schemasOf(node, keywords, marked))
      for (const [name, schema] of Object.entries(describedProperties(part)))
        if (isMarked(schema, mark)) excluded.add(name);
    return excluded;
  }

  /** Returns the properties that a schema describes or requires. */
  function mentionedBy(node: unknown): ReadonlySet<string> {
    const parts = schemasOf(node, IN_PLACE_LISTS);
    return new Set(parts.flatMap((part) => [...Object.keys(describedProperties(part)), ...(part.required ?? [])]));
  }

  function isMarked(schema: unknown, mark: string): boolean {
    return schemasOf(schema, ALL_OF, marked).some((part) => part[mark] === true);
  }

  function defaultOf(schema: unknown): unknown {
    const parts = schemasOf(schema, ALL_OF, withDefault);
    return parts.find((part) => part['default'] !== undefined)?.['default'];
  }

  /**
   * Returns the default of a schema, completed with the defaults of its properties; `undefined` if there is none.
   *
   * @param outer the schemas whose defaults contain this default; their defaults are skipped to end the recursion
   */
  function completeDefaultOf(schema: unknown, outer: readonly unknown[]): unknown {
    const value = outer.includes(schema) ? undefined : defaultOf(schema);
    completed += value === undefined ? 0 : 1;
    if (completed > MAX_DEFAULTS) throw new TooMany(`the defaults in defaults are more than ${String(MAX_DEFAULTS)}`);
    return value === undefined ? undefined : complete(value, schema, [...outer, schema]);
  }

  function complete(value: unknown, schema: unknown, outer: readonly unknown[]): unknown {
    const parts = schemasOf(schema, ['allOf']);
    if (Array.isArray(value)) {
      const items = parts.find((part) => part['items'] !== undefined)?.['items'];
      return value.map((item: unknown) => complete(item, items, outer));
    }
    if (!isObject(value)) return value;
    const excluded = excludedBy(schema, 'received');
    const result: Record<string, unknown> = { ...value };
    for (const { properties = {}, required = [] } of parts) {
      const names = new Set(required).union(excluded);
      for (const [name, member] of Object.entries(properties)) {
        if (Object.hasOwn(result, name)) result[name] = complete(result[name], member, outer);
        else if (!names.has(name)) result[name] = completeDefaultOf(member, outer);
        if (result[name] === undefined) Reflect.deleteProperty(result, name);
      }
    }
    return result;
  }

  /**
   * Returns a schema and all schemas that it applies to the same value, by reference or by `keywords`.
   *
   * @param names the components to look into; by default, all
   */
  function schemasOf(
    node: unknown,
    keywords: readonly InPlaceList[],
    names?: ReadonlySet<string>,
    visited?: Set<unknown>,
  ): readonly SchemaObject[] {
    if (!isObject(node) || visited?.has(node) === true) return [];
    const { $ref: reference } = node;
    const name = reference?.slice(PREFIX.length);
    const target = name === undefined || names?.has(name) === false ? undefined : originals[name];
    const isSingle = target === undefined && !keywords.some((keyword) => node[keyword] !== undefined);
    const seen = visited ?? (isSingle ? undefined : new Set());
    seen?.add(node);
    if (isSingle) return [node];
    const parts = [target, ...keywords.flatMap((keyword) => node[keyword] ?? [])];
    return [node, ...parts.flatMap((part) => schemasOf(part, keywords, names, seen))];
  }
}

/** Returns the union of two sets of names. Most are empty. */
function union(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  if (one.size === 0) return other;
  return other.size === 0 ? one : one.union(other);
}

function isMark(key: string, value: unknown): boolean {
  return (key === 'readOnly' || key === 'writeOnly') && value === true;
}

function isObject(value: unknown): value is SchemaObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
