import type { Document } from '../openapi/document.ts';
import { sentKindOf, type FailureBody } from '../openapi/failures.ts';
import { dereference } from '../openapi/reference.ts';

type Schema = {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
};

const MAX_DEPTH = 6;
/** The names of members that hold the message of a failure. */
export const MESSAGE = /message|detail|description|title|reason|text|^error$/i;
/** The names of members that hold its status. */
export const STATUS = /status|code|^error$/i;

/** Renders the source text of a function from the details of a failure to a body that is valid for its schema. */
export function renderFailureFunction(document: Document, { mediaType, schema }: FailureBody): string {
  const used = new Set<string>();
  const body = sentKindOf(mediaType) === 'json' ? valueOf(document, schema, '', used, 0) : use('message', used);
  const parameters = ['status', 'message'].filter((name) => used.has(name));
  const list = parameters.length === 0 ? '()' : `({ ${parameters.join(', ')} })`;
  return `${list} => ${body.startsWith('{') ? `(${body})` : body}`;
}

/** Renders an expression that is valid for a schema. Status and message go into properties with such names. */
function valueOf(document: Document, node: unknown, name: string, used: Set<string>, depth: number): string {
  const schema = mergeParts(document, node);
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(schema['enum'])) return literal(schema['enum'][0]);
  const [type = schema.properties === undefined ? undefined : 'object'] = [schema.type].flat();
  if (depth > MAX_DEPTH) return type === 'array' ? '[]' : type === 'object' ? '{}' : "''";
  const isInt64 = schema['format'] === 'int64';
  switch (type) {
    case 'object':
      return objectOf(document, schema, used, depth);
    case 'array': {
      const needsItem = Number(schema['minItems'] ?? 0) > 0 || /error|message|detail/i.test(name);
      return needsItem ? `[${valueOf(document, schema['items'], 'message', used, depth + 1)}]` : '[]';
    }
    case 'integer':
    case 'number': {
      const { minimum = 100, maximum = 599, multipleOf } = schema;
      const fits = Number(minimum) <= 100 && Number(maximum) >= 599 && multipleOf === undefined;
      if (STATUS.test(name) && fits) return isInt64 ? `BigInt(${use('status', used)})` : use('status', used);
      const least = Math.min(Math.max(0, Number(schema['minimum'] ?? 0)), Number(maximum));
      return isInt64 ? `${String(least)}n` : String(least);
    }
    case 'boolean':
      return String(/error|fail/i.test(name));
    case 'null':
      return 'null';
    case 'string':
      return stringOf(schema, name, used);
    default:
      return MESSAGE.test(name) || name === '' ? use('message', used) : 'null';
  }
}

function objectOf(document: Document, schema: Schema, used: Set<string>, depth: number): string {
  const { properties = {}, required: all = [] } = schema;
  const required = all.filter((name) => mergeParts(document, properties[name])['writeOnly'] !== true);
  const names = Object.keys(properties).filter(
    (name) => required.includes(name) || (depth < 2 && (STATUS.test(name) || MESSAGE.test(name))),
  );
  const members = names.map((name) => {
    const value = valueOf(document, properties[name], name, used, depth + 1);
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
    return key === value ? key : `${key}: ${value}`;
  });
  const missing = required
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => `${JSON.stringify(name)}: ''`);
  return members.length + missing.length === 0 ? '{}' : `{ ${[...members, ...missing].join(', ')} }`;
}

function stringOf(schema: Schema, name: string, used: Set<string>): string {
  const { format, pattern, minLength = 0, maxLength = Infinity } = schema;
  if (format === 'date-time') return 'new Date().toISOString()';
  if (format === 'date') return 'new Date().toISOString().slice(0, 10)';
  if (format === 'uuid') return 'crypto.randomUUID()';
  if (format === 'uri' || format === 'url' || format === 'uri-reference') return "'about:blank'";
  if (format === 'email') return "'nobody@example.org'";
  if (
    pattern === undefined &&
    STATUS.test(name) &&
    !MESSAGE.test(name) &&
    Number(maxLength) >= 3 &&
    Number(minLength) <= 3
  )
    return `String(${use('status', used)})`;
  if (pattern !== undefined || Number(minLength) > 1) return JSON.stringify('x'.repeat(Number(minLength)));
  return Number(maxLength) < 1000 ? `${use('message', used)}.slice(0, ${String(maxLength)})` : use('message', used);
}

/** Merges the schemas that apply to the same value; of alternatives, the first. */
function mergeParts(document: Document, node: unknown, depth = 0): Schema {
  const schema = (dereference(document, node) ?? {}) as Schema;
  if (typeof schema !== 'object' || depth > MAX_DEPTH) return {};
  const { allOf = [], anyOf, oneOf, ...own } = schema as Readonly<Record<string, readonly unknown[]>>;
  const parts = [...allOf, ...(anyOf ?? []).slice(0, 1), ...(oneOf ?? []).slice(0, 1)];
  const merged = parts.map((part) => mergeParts(document, part, depth + 1));
  return [own as Schema, ...merged].reduce(
    (all, part) => ({
      ...all,
      ...part,
      properties: mergeProperties(all.properties, part.properties),
      required: [...(all.required ?? []), ...(part.required ?? [])],
    }),
    (own as Schema).properties === undefined && merged.every(({ properties }) => properties === undefined)
      ? {}
      : { type: 'object' },
  );
}

function literal(value: unknown): string {
  return JSON.stringify(value ?? null);
}

function use(name: string, used: Set<string>): string {
  used.add(name);
  return name;
}

/** Merges the properties of two schemas; of a name that both have, both schemas apply. */
function mergeProperties(one: Schema['properties'] = {}, other: Schema['properties'] = {}): Record<string, unknown> {
  const both = Object.keys(other).filter((name) => Object.hasOwn(one, name));
  return { ...one, ...other, ...Object.fromEntries(both.map((name) => [name, { allOf: [one[name], other[name]] }])) };
}
