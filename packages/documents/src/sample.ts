import { dereference, type OpenApiDocument } from './reference.ts';

/** The members of media types, parameters and schemas that hold examples. */
type Node = {
  readonly example?: unknown;
  /** A map of objects with a `value`; a list of values in schemas. */
  readonly examples?: unknown;
  readonly schema?: unknown;
};

type Schema = Node & {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly allOf?: readonly unknown[];
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
};

// A document may reach one schema by an exponential number of paths.
const MAX_SCHEMAS = 1_000;
const ANY_TEXT = 'text';
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['date', '2030-01-31'],
  ['date-time', '2030-01-31T12:00:00Z'],
  ['email', 'name@example.com'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['uri', 'https://example.com'],
]);

/** Returns the example of a media type, a parameter or a schema; without one, a simple value, which may not be valid. */
export function sampleOf(document: OpenApiDocument, node: unknown): unknown {
  const open = new Set<Schema>();
  let visited = 0;
  const found = sample(node);
  return found === undefined ? ANY_TEXT : found;

  /** Returns `undefined` within the sample of the same schema, and after too many schemas. */
  function sample(part: unknown): unknown {
    const schema = (dereference(document, part) ?? {}) as Schema;
    const value = givenValue(document, schema);
    if (value !== undefined) return value;
    visited += 1;
    if (open.has(schema) || visited > MAX_SCHEMAS) return undefined;
    open.add(schema);
    const made = schema.schema === undefined ? sampleOfType(schema, sample) : sample(schema.schema);
    open.delete(schema);
    return made;
  }
}

/** Returns the example, default or only value of a schema, a parameter or a media type. */
function givenValue(document: OpenApiDocument, schema: Schema): unknown {
  const { example, examples, const: constant, enum: values = [] } = schema;
  const [first] = Object.values(Object(examples) as object) as readonly unknown[];
  const listed = Array.isArray(examples) ? first : exampleValue(dereference(document, first) ?? {});
  return [example, listed, constant, schema.default, values[0]].find((value) => value !== undefined);
}

/** Returns the value of an example object, which has another name since OpenAPI 3.2. */
function exampleValue({
  value,
  dataValue = value,
}: {
  readonly value?: unknown;
  readonly dataValue?: unknown;
}): unknown {
  return dataValue;
}

function sampleOfType(schema: Schema, sample: (node: unknown) => unknown): unknown {
  const { type, format = '', minimum = 1, required = [], properties = {}, allOf = [] } = schema;
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  const parts = [...allOf, ...(alternative === undefined ? [] : [alternative])]
    .map(sample)
    .filter((part) => part !== undefined);
  const isObject = [type].flat().includes('object') || required.length > 0;
  if (isObject || parts.some((part) => typeof part === 'object' && part !== null)) {
    const members = required.map((name) => [name, sample(properties[name] ?? {})] as const);
    return Object.assign({}, ...parts, Object.fromEntries(members)) as unknown;
  }
  if (parts.length > 0) return parts[0];
  switch ([type].flat()[0]) {
    case 'integer':
    case 'number':
      return Math.max(1, Math.ceil(minimum));
    case 'boolean':
      return true;
    case 'array':
      return [];
    default:
      return TEXTS.get(format) ?? ANY_TEXT;
  }
}
