import { resolveComponent, type ContractDocument } from './slice-document.ts';

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

const MAX_DEPTH = 20;
const TEXTS: Readonly<Record<string, string>> = {
  date: '2030-01-31',
  'date-time': '2030-01-31T12:00:00Z',
  email: 'name@example.com',
  uuid: '00000000-0000-4000-8000-000000000000',
  uri: 'https://example.com',
};

/** Returns the example of a media type, a parameter or a schema; without one, a simple value, which may not be valid. */
export function sampleOf(document: ContractDocument, node: unknown, depth = 0): unknown {
  const schema = resolveComponent(document, node) as Schema;
  const { example, examples, const: constant, enum: values = [] } = schema;
  const [first] = Object.values(Object(examples) as object) as readonly unknown[];
  const listed = Array.isArray(examples) ? first : exampleValue(resolveComponent(document, first ?? {}));
  const found = [example, listed, constant, schema.default, values[0]].find((value) => value !== undefined);
  if (found !== undefined || depth > MAX_DEPTH) return found;
  if (schema.schema !== undefined) return sampleOf(document, schema.schema, depth + 1);
  return sampleOfType(document, schema, depth + 1);
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

function sampleOfType(document: ContractDocument, schema: Schema, depth: number): unknown {
  const { type, format = '', minimum = 1, required = [], properties = {}, allOf = [] } = schema;
  const [alternative] = schema.oneOf ?? schema.anyOf ?? [];
  const parts = [...allOf, ...(alternative === undefined ? [] : [alternative])].map((part) =>
    sampleOf(document, part, depth),
  );
  const isObject = [type].flat().includes('object') || required.length > 0;
  if (isObject || parts.some((part) => typeof part === 'object' && part !== null)) {
    const members = required.map((name) => [name, sampleOf(document, properties[name] ?? {}, depth)] as const);
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
      return TEXTS[format] ?? 'text';
  }
}
