import { runInThisContext } from 'node:vm';
import { stringifyJson, type FailureDetails } from '@contract-first/contract';
import { sentKindOf, type Document, type FailureBody } from '@contract-first/documents';
import { isArray, isObject, partAt, placesOf, replaceAt, type Json, type Place } from '../values/json-value.ts';
import type { Schema as Part } from '../values/dialect.ts';
import type { Values } from '../values/documented-values.ts';
import { flatten, join } from '../values/schema-merge.ts';
import { quote, renderArray, renderObject } from './source-text.ts';

type Schema = {
  readonly [keyword: string]: unknown;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
  readonly maxLength?: unknown;
};
type Details = Omit<FailureDetails, 'operationId'>;

/** A function that is being rendered. */
type Context = {
  readonly document: Document;
  /** The details that it uses. */
  readonly used: Set<string>;
  /** Whether lists may have the violations. */
  readonly hasLists: boolean;
  /** Whether a member of the same object has the message. */
  readonly hasMessage: boolean;
};

const MAX_DEPTH = 6;
const MAX_PLACES = 100;
const VIOLATIONS = Array.from({ length: 10 }, (_, index) => ({
  place: `body/items/${String(index)}/size`,
  message: 'must be integer',
}));
const EXAMPLES: readonly Details[] = [
  { status: 400, message: 'path parameter id must be an integer', violations: [] },
  { status: 400, message: 'body/items/0/size must be integer', violations: VIOLATIONS.slice(0, 1) },
  {
    status: 400,
    message: 'body/items/0/size must be integer; body/items/1/size must be integer',
    violations: VIOLATIONS,
  },
  { status: 503, message: 'try again later', violations: [] },
];
/** The names of members that hold the message of a failure. */
const MESSAGE = /message|detail|description|title|reason|text|^error$/i;
/** The names of members that hold its status. */
const STATUS = /status|code|^error$/i;
/** The names of members that hold violations. */
const LIST = /error|violation|detail|problem|issue|invalid|reason|cause|message|field/i;
/** The names of members that hold the place of a violation. */
const PLACE =
  /^(?:place|field|path|location|loc|property|param|parameter|name|source|target|key|attribute)(?:_?(?:name|path))?$/i;

/** The variables of a rendered function. */
const SHORTHAND: ReadonlySet<string> = new Set(['status', 'message', 'violations', 'place']);

/** Renders functions from the details of a failure to its body, as source text. */
export type FailureRenderer = {
  /** Renders a function that returns a valid body: JSON, or the message as text. */
  readonly renderBody: (body: FailureBody) => string;
  /** Renders a function that returns a valid value, for any media type. */
  readonly renderValue: (body: FailureBody) => string;
};

/**
 * Creates the renderer of failures for a document.
 *
 * @param values the values of the same document
 */
export function createFailureRenderer(document: Document, values: Values): FailureRenderer {
  return {
    renderBody(body) {
      const rendered = renderValue(body);
      if (sentKindOf(body.mediaType) === 'json') return rendered;
      const isText = EXAMPLES.every((details) => typeof evaluate(rendered)(details) === 'string');
      return isText ? rendered : '({ message }) => message';
    },
    renderValue,
  };

  function renderValue(body: FailureBody): string {
    const described = values.responseOf(body.operationId, body.response).content?.[body.mediaType] ?? {};
    const isValid = (value: Json): boolean => values.allows(described.schema, value);
    const [usual = '', ...others] = [true, false].map((hasLists) => {
      const used = new Set<string>();
      return functionOf(valueOf({ document, used, hasLists, hasMessage: false }, body.schema, '', 0), used);
    });
    for (const source of [usual, ...others]) {
      if (EXAMPLES.every((details) => isValid(evaluate(source)(details)))) return source;
    }
    const [generated] = values.valuesOf(described, { key: body.name, dynamic: false, isText: true });
    return generated === undefined ? usual : fill(generated, isValid);
  }
}

/** Evaluates a rendered function. Its text has names and literals of the document only as JSON. */
export function evaluate(rendered: string): (details: Details) => Json {
  return runInThisContext(`(${rendered})`) as (details: Details) => Json;
}

/** Renders a function that returns a value with status and message in members of such names, where they are valid. */
function fill(base: Json, isValid: (value: Json) => boolean): string {
  const used = new Set<string>();
  const details = new Map<string, string>();
  let examples = EXAMPLES.map((): Json => base);
  for (const place of placesOf(base, MAX_PLACES)) {
    const name = place.findLast((key) => typeof key === 'string') ?? '';
    const part = partAt(base, place);
    const isText = typeof part === 'string';
    const detail = isText && MESSAGE.test(name) ? 'message' : 'status';
    if (detail === 'status' && !(STATUS.test(name) && (isText || typeof part === 'number' || typeof part === 'bigint')))
      continue;
    const changed = EXAMPLES.map((example, index) =>
      replaceAt(examples[index] ?? base, place, isText ? String(example[detail]) : example[detail]),
    );
    if (!changed.every(isValid)) continue;
    examples = changed;
    details.set(
      JSON.stringify(place),
      isText && detail === 'status' ? `String(${use(detail, used)})` : use(detail, used),
    );
  }
  return functionOf(render(base, []), used);

  function render(value: Json, place: Place): string {
    const detail = details.get(JSON.stringify(place));
    if (detail !== undefined) return detail;
    if (isArray(value)) return renderArray(value.map((item, index) => render(item, [...place, index])));
    if (!isObject(value)) return literal(value);
    return objectLiteral(Object.entries(value).map(([name, member]) => [name, render(member, [...place, name])]));
  }
}

function functionOf(expression: string, used: ReadonlySet<string>): string {
  const parameters = ['status', 'message', 'violations'].filter((name) => used.has(name));
  const list = parameters.length === 0 ? '()' : `({ ${parameters.join(', ')} })`;
  return `${list} => ${expression.startsWith('{') ? `(${expression})` : expression}`;
}

function objectLiteral(members: readonly (readonly [name: string, value: string])[]): string {
  const texts = members.map(([name, value]) => {
    if (name === value && SHORTHAND.has(name)) return name;
    // As a plain key, __proto__ would set the prototype.
    const key = name === '__proto__' ? "['__proto__']" : /^[A-Za-z_$][\w$]*$/.test(name) ? name : quote(name);
    return `${key}: ${value}`;
  });
  return renderObject(texts);
}

/** Renders an expression that is valid for a schema. Status and message go into properties with such names. */
function valueOf(context: Context, node: unknown, name: string, depth: number): string {
  const { document, used } = context;
  const schema = mergeParts(document, node);
  if ('const' in schema) return literal(schema['const']);
  if (Array.isArray(schema['enum'])) return literal(schema['enum'][0]);
  const [type = schema.properties === undefined ? undefined : 'object'] = [schema.type].flat();
  if (depth > MAX_DEPTH) return type === 'array' ? '[]' : type === 'object' ? '{}' : "''";
  const isInt64 = schema['format'] === 'int64';
  switch (type) {
    case 'object':
      return objectOf(context, schema, depth);
    case 'array': {
      const isList = LIST.test(name) || name === '';
      const ofViolation = isList ? violationOf(context, schema['items'], depth + 1) : undefined;
      const takesMessage = ofViolation === undefined ? /error|message|detail/i.test(name) : !context.hasMessage;
      const needsItem = Number(schema['minItems'] ?? 0) > 0 || takesMessage;
      const item = needsItem ? valueOf(context, schema['items'], 'message', depth + 1) : '';
      if (ofViolation === undefined) return `[${item}]`;
      const { maxItems = Infinity } = schema as { readonly maxItems?: number };
      const violations =
        use('violations', used) + (maxItems < VIOLATIONS.length ? `.slice(0, ${String(maxItems)})` : '');
      const list = `${violations}.map(({ place, message }) => ${ofViolation})`;
      return item === '' ? list : `violations.length === 0 ? [${item}] : ${list}`;
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

function objectOf(context: Context, schema: Schema, depth: number): string {
  const { document } = context;
  const { properties = {}, required: all = [] } = schema;
  const required = all.filter((name) => mergeParts(document, properties[name])['writeOnly'] !== true);
  const names = Object.keys(properties).filter(
    (name) =>
      required.includes(name) ||
      (depth < 2 && (STATUS.test(name) || MESSAGE.test(name))) ||
      (depth < 2 && LIST.test(name) && holdsViolations(context, properties[name])),
  );
  const hasMessage = names.some(
    (name) => MESSAGE.test(name) && mergeParts(document, properties[name]).type === 'string',
  );
  const members = names.map(
    (name) => [name, valueOf({ ...context, hasMessage }, properties[name], name, depth + 1)] as const,
  );
  const missing = required.filter((name) => !Object.hasOwn(properties, name));
  return objectLiteral([...members, ...missing.map((name) => [name, "''"] as const)]);
}

/** Renders an item of a list from the violation `{ place, message }`; `undefined` where an item cannot hold both. */
function violationOf(context: Context, node: unknown, depth: number): string | undefined {
  const schema = mergeParts(context.document, node);
  if (!context.hasLists || 'const' in schema || 'enum' in schema) return undefined;
  const both = '`${place} ${message}`';
  if (schema.type === 'string') return textOf(schema, both);
  const { properties = {}, required = [] } = schema;
  const texts = Object.entries(properties).filter(
    ([, member]) => mergeParts(context.document, member).type === 'string',
  );
  const [place] = texts.find(([name]) => PLACE.test(name)) ?? [];
  const [message] = texts.find(([name]) => MESSAGE.test(name) && name !== place) ?? [];
  if (message === undefined) return undefined;
  const names = Object.keys(properties).filter((name) => name === place || name === message || required.includes(name));
  const members = names.map((name): readonly [string, string] => {
    const member = mergeParts(context.document, properties[name]);
    if (name === place) return [name, textOf(member, 'place')];
    if (name === message) return [name, textOf(member, place === undefined ? both : 'message')];
    return [name, valueOf(context, properties[name], name, depth + 1)];
  });
  const item = objectLiteral(members);
  return `(${item})`;
}

function holdsViolations(context: Context, node: unknown): boolean {
  const { type, items } = mergeParts(context.document, node) as Schema & { readonly items?: unknown };
  return type === 'array' && violationOf(context, items, 1) !== undefined;
}

/** Renders a text that is short enough for a schema. */
function textOf({ maxLength = Infinity }: Schema, expression: string): string {
  return Number(maxLength) < 1000 ? `${expression}.slice(0, ${String(maxLength)})` : expression;
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
  if (pattern !== undefined || Number(minLength) > 1) return quote('x'.repeat(Number(minLength)));
  return textOf({ maxLength }, use('message', used));
}

/** Merges the schemas that apply to the same value; of alternatives, the first. */
function mergeParts(document: Document, node: unknown, merged = new Set<unknown>()): Schema {
  const flat = flatten({ id: '', document }, (node ?? {}) as Part, merged);
  if (typeof flat === 'boolean') return {};
  const { anyOf = [], oneOf = [], ...own } = flat as Readonly<Record<string, readonly unknown[]>>;
  const alternatives = [...anyOf.slice(0, 1), ...oneOf.slice(0, 1)];
  const parts = alternatives.map((part) => mergeParts(document, part, merged));
  const all = parts.reduce<Part>((joined, part) => join(joined, part), own);
  if (typeof all === 'boolean') return {};
  const [type] = [all['type'] as Schema['type']].flat();
  return { properties: {}, ...all, ...(type !== undefined && { type }) };
}

function literal(value: unknown): string {
  return typeof value === 'string' ? quote(value) : stringifyJson(value ?? null);
}

function use(name: string, used: Set<string>): string {
  used.add(name);
  return name;
}
