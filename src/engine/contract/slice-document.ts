import { isExtension, isLiteralKeyword } from './literal-keywords.ts';
import { kindOf } from './media-type.ts';
import type { Operation } from './operation.ts';

type Node = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI document used by the engine. */
export type ContractDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, Node>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/**
 * Creates a document with one operation and only the schemas it refers to, so that the cost of a validator does not grow
 * with the contract. The document is simplified:
 *
 * - `$ref`s are resolved, except those to schemas;
 * - parameters have a schema but no style, since they are already parsed, and may be empty;
 * - request bodies have a JSON media type ({@link sliceMediaType});
 * - responses have only bodies that may be JSON or text, and their headers as one of the media types;
 * - discriminators are conditions, which Ajv checks faster than `oneOf` and with better messages;
 * - files have no length or pattern, since only their placeholders are validated;
 * - examples and extensions are removed.
 *
 * @returns a deep copy, which may be modified
 */
export function sliceDocument(document: ContractDocument, { path, method }: Operation): ContractDocument {
  const pathItem = document.paths?.[path] ?? {};
  const key = method.toLowerCase();
  const {
    parameters = [],
    requestBody,
    responses = {},
  } = resolveRef(pathItem[key]) as {
    parameters?: readonly unknown[];
    requestBody?: unknown;
    responses?: Node;
  };
  const shared = (pathItem['parameters'] ?? []) as readonly unknown[];
  const operation = {
    parameters: mergeParameters(shared.map(resolveRef), parameters.map(resolveRef)).map(simplifyParameter),
    ...(requestBody !== undefined && { requestBody: simplifyRequestBody(resolveRef(requestBody)) }),
    responses: mapValues(responses, (response) => {
      const resolved = resolveRef(response);
      return simplifyResponse(resolved, mapValues((resolved['headers'] ?? {}) as Node, resolveRef));
    }),
  };

  const { openapi, info } = document;
  const schemasByName = new Map<string, unknown>();
  collectSchemas(operation);
  const schemas = Object.fromEntries(schemasByName);
  const slice = structuredClone({ openapi, info, paths: { [path]: { [key]: operation } }, components: { schemas } });
  const content = ((requestBody !== undefined ? resolveRef(requestBody)['content'] : undefined) ?? {}) as Node;
  const hasFiles = Object.keys(content).some((mediaType) => kindOf(mediaType) === 'multipart');
  simplifySchemas(slice, hasFiles);
  return slice;

  function collectSchemas(node: unknown): void {
    if (typeof node !== 'object' || node === null) return;
    const name = /^#\/components\/schemas\/([^/]+)/.exec(String((node as Node)['$ref']))?.[1];
    if (name !== undefined && !schemasByName.has(name)) {
      const schema = document.components?.['schemas']?.[name];
      schemasByName.set(name, schema);
      collectSchemas(schema);
    }
    Object.values(node).forEach(collectSchemas);
  }

  function resolveRef(node: unknown): Node {
    const reference = (node as Node)['$ref'];
    if (typeof reference !== 'string') return node as Node;
    const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
    return resolveRef(document.components?.[kind]?.[name] ?? {});
  }
}

/** The media type of the object of headers of a response, by name in lower case. */
export const HEADERS_MEDIA_TYPE = 'application/x-headers+json';

/** Returns the media type used in a slice. It is always JSON, since the validator treats other media types specially. */
export function sliceMediaType(mediaType: string): string {
  return kindOf(mediaType) === 'json' ? mediaType : `application/x-${Buffer.from(mediaType).toString('hex')}+json`;
}

/**
 * Merges the parameters of a path and an operation. Those of the operation override those with the same name and
 * location. Three headers are ignored (OpenAPI 3.1, 4.8.12.1).
 */
export function mergeParameters(shared: readonly Node[], own: readonly Node[]): readonly Node[] {
  const identity = ({ name, in: location }: Node): string => `${String(location)} ${String(name)}`;
  const merged = new Map([...shared, ...own].map((parameter) => [identity(parameter), parameter]));
  return [...merged].flatMap(([key, parameter]) => (IGNORED_PARAMETERS.test(key) ? [] : [parameter]));
}

/** Matches the parameters that OpenAPI ignores, written `header Accept` (OpenAPI 3.1, 4.8.12.2). */
export const IGNORED_PARAMETERS = /^header (?:accept|content-type|authorization)$/i;

function simplifyParameter({ name, in: location, required = false, ...parameter }: Node): Node {
  return { name, in: location, required, schema: schemaOf(parameter), allowEmptyValue: true };
}

/** Returns the schema of the value of a parameter or a header. */
function schemaOf({ schema, content }: Node): unknown {
  const [entry] = Object.entries((content ?? {}) as Readonly<Record<string, Node>>);
  // A schema cannot describe the text of other media types.
  return wrapRef(schema ?? (entry && kindOf(entry[0]) === 'json' ? entry[1]['schema'] : undefined) ?? {});
}

function simplifyRequestBody({ required = false, content }: Node): Node {
  const entries = Object.entries(content as Readonly<Record<string, Node>>).map(([mediaType, { schema = {} }]) => [
    sliceMediaType(mediaType),
    // A schema cannot describe bytes.
    { schema: kindOf(mediaType) === 'binary' ? {} : wrapRef(schema) },
  ]);
  return { required, content: Object.fromEntries(entries) as Node };
}

function simplifyResponse({ description, content = {} }: Node, headers: Node): Node {
  const bodies = Object.entries(content as Readonly<Record<string, Node>>)
    .filter(([mediaType]) => ['json', 'text'].includes(kindOf(mediaType)) || mediaType.includes('*'))
    .map(([mediaType, { schema = {} }]) => [sliceMediaType(mediaType), { schema: wrapRef(schema) }]);
  const properties = Object.entries(headers as Readonly<Record<string, Node>>)
    .filter(([name]) => name.toLowerCase() !== 'content-type')
    .map(([name, header]) => [name.toLowerCase(), schemaOf(header)] as const);
  const schema = { type: 'object', properties: Object.fromEntries(properties) };
  const all = [...bodies, ...(properties.length > 0 ? [[HEADERS_MEDIA_TYPE, { schema }]] : [])];
  return { description, ...(all.length > 0 && { content: Object.fromEntries(all) as Node }) };
}

/** Moves a `$ref` with sibling keywords into `allOf`: at the top level, the validator ignores the siblings. */
function wrapRef(schema: unknown): unknown {
  const { $ref, allOf = [], ...rest } = schema as Node;
  if ($ref === undefined || (Object.keys(rest).length === 0 && (allOf as unknown[]).length === 0)) return schema;
  return { ...rest, allOf: [...(allOf as readonly unknown[]), { $ref }] };
}

/** Simplifies discriminators, and removes examples and extensions, in which Ajv would take a member `id` for a name. */
function simplifySchemas(node: unknown, hasFiles: boolean, parentKey = ''): void {
  if (typeof node !== 'object' || node === null) return;
  if (hasFiles && isFile(node as Node)) for (const keyword of FILE_KEYWORDS) Reflect.deleteProperty(node, keyword);
  simplifyDiscriminator(node as Record<string, unknown>);
  for (const [key, member] of Object.entries(node)) {
    const isData = isLiteralKeyword(key, parentKey);
    const isHint = isExtension(key, parentKey) || (isData && (key === 'example' || key === 'examples'));
    if (isHint) Reflect.deleteProperty(node, key);
    else if (!isData) simplifySchemas(member, hasFiles, key);
  }
}

const FILE_KEYWORDS = ['minLength', 'maxLength', 'pattern'];

/** Whether a schema in a multipart body describes a file. */
export function isFile({ format, contentMediaType, contentEncoding }: Node): boolean {
  return format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);
}

/** Replaces a discriminator and its list by conditions: for each schema of the list, a value with its names must match. */
function simplifyDiscriminator(node: Record<string, unknown>): void {
  const { discriminator, allOf = [] } = node as { discriminator?: Discriminator; allOf?: readonly unknown[] };
  if (typeof discriminator?.propertyName !== 'string') return;
  delete node['discriminator'];
  const keyword = node['oneOf'] === undefined ? 'anyOf' : 'oneOf';
  const { propertyName, mapping = {} } = discriminator;
  const alternatives = (node[keyword] ?? []) as readonly Node[];
  const namesOf = ({ $ref }: Node): string[] => Object.keys(mapping).filter((name) => mapping[name] === $ref);
  const isNamed = (names: readonly string[]): Node => ({
    type: 'object',
    required: [propertyName],
    properties: { [propertyName]: { enum: names } },
  });
  const named = alternatives.filter((alternative) => namesOf(alternative).length > 0);
  if (named.length === 0) return;
  const others = alternatives.filter((alternative) => !named.includes(alternative));
  const isAny = isNamed(Object.keys(mapping));
  Reflect.deleteProperty(node, keyword);
  node['allOf'] = [
    ...allOf,
    others.length === 0 ? isAny : { anyOf: [isAny, { [keyword]: others }] },
    ...named.map((alternative) => ({ if: isNamed(namesOf(alternative)), then: alternative })),
  ];
}
type Discriminator = { readonly propertyName?: unknown; readonly mapping?: Readonly<Record<string, string>> };

function mapValues(record: Node, map: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
