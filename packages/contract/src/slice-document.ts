import type { DirectedSchemas, Direction } from './directed-schemas.ts';
import { isExtension, isLiteralKeyword } from './literal-keywords.ts';
import { isItemList, kindOf } from './media-type.ts';
import type { Operation, TextType } from './operation.ts';

type Node = Readonly<Record<string, unknown>>;

/** The parts of an OpenAPI document used by the engine. */
export type ContractDocument = {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly paths?: Readonly<Record<string, Node>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/**
 * Creates a document with one operation and no components, so that the cost of a validator does not grow with the
 * contract. The document is simplified:
 *
 * - it has version 3.1 or 3.0, and any method is {@link SLICE_METHOD}: the validator knows no others;
 * - `$ref`s are resolved, except those to schemas;
 * - parameters have a schema but no style, since they are already parsed, and may be empty;
 * - request bodies have a JSON media type ({@link sliceMediaType});
 * - responses have only bodies that may be JSON or text, and their headers as one of the media types;
 * - schemas are those of requests or of responses;
 * - files of forms have no schema, since only their placeholders are validated;
 * - schemas are simplified ({@link copySchema}).
 *
 * @param directed derives the schemas, and collects the targets of the operation's references
 * @returns a deep copy, which may be modified
 */
export function sliceDocument(
  document: ContractDocument,
  operationToSlice: Operation,
  directed: DirectedSchemas,
): ContractDocument {
  const resolveRef = (node: unknown): Node => resolveComponent(document, node);
  const { path } = operationToSlice;
  const {
    parameters = [],
    requestBody,
    responses = {},
  } = findOperationObject(document, operationToSlice) as {
    parameters?: readonly unknown[];
    requestBody?: unknown;
    responses?: Node;
  };
  const shared = (document.paths?.[path]?.['parameters'] ?? []) as readonly unknown[];
  const operation = {
    parameters: mergeParameters(shared.map(resolveRef), parameters.map(resolveRef)).map(simplifyParameter),
    ...(requestBody !== undefined && { requestBody: simplifyRequestBody(resolveRef(requestBody)) }),
    responses: mapValues(responses, (response) => simplifyResponse(resolveRef(response))),
  };
  const { info } = document;
  return copySchema({ openapi: sliceVersion(document), info, paths: { [path]: { [SLICE_METHOD]: operation } } });

  function simplifyParameter({ name, in: location, required = false, ...parameter }: Node): Node {
    return {
      name,
      in: location === 'querystring' ? 'query' : location,
      required,
      schema: directed.parameter(schemaOf(parameter, location === 'querystring'), required === true),
      allowEmptyValue: true,
    };
  }

  function simplifyRequestBody({ required = false, content }: Node): Node {
    const entries = Object.entries(content as Readonly<Record<string, Node>>).map(([mediaType, object]) => {
      // A schema cannot describe bytes.
      const isBytes = kindOf(mediaType) === 'binary' && !isItemList(mediaType, object);
      const { form } = operationToSlice.requestBody?.content[mediaType] ?? {};
      const { schema = {} } = object;
      const own = kindOf(mediaType) === 'multipart' && form ? withFiles(schema, form, {}, resolveRef) : schema;
      const isText = kindOf(mediaType) === 'text' && !isItemList(mediaType, object);
      return [sliceMediaType(mediaType), { schema: isBytes ? {} : bodySchema(own, isText, 'received') }];
    });
    return { required, content: Object.fromEntries(entries) as Node };
  }

  function simplifyResponse({ description, content = {}, headers = {} }: Node): Node {
    const bodies = Object.entries(content as Readonly<Record<string, Node>>)
      .filter(
        ([mediaType, object]) =>
          ['json', 'text'].includes(kindOf(mediaType)) || mediaType.includes('*') || isItemList(mediaType, object),
      )
      .map(([mediaType, object]) => {
        const isText = kindOf(mediaType) === 'text' && !isItemList(mediaType, object);
        return [sliceMediaType(mediaType), { schema: bodySchema(object['schema'] ?? {}, isText, 'response') }];
      });
    const properties = Object.entries(headers as Node)
      .filter(([name]) => name.toLowerCase() !== 'content-type')
      .map(([name, header]) => [name.toLowerCase(), directed.of(schemaOf(resolveRef(header)), 'response')] as const);
    const schema = { type: 'object', properties: Object.fromEntries(properties) };
    const all = [...bodies, ...(properties.length > 0 ? [[HEADERS_MEDIA_TYPE, { schema }]] : [])];
    return { description, ...(all.length > 0 && { content: Object.fromEntries(all) as Node }) };
  }

  function bodySchema(schema: unknown, isText: boolean, direction: Direction): unknown {
    // A text has no value other than a string.
    return isText && !allowsString(schema) ? {} : directed.of(wrapRef(schema), direction);
  }

  function allowsString(node: unknown): boolean {
    const { type = 'string', allOf = [], anyOf, oneOf } = resolveRef(node) as Readonly<Record<string, unknown[]>>;
    const alternatives = anyOf ?? oneOf;
    if (![type].flat().includes('string') || !allOf.every(allowsString)) return false;
    return alternatives === undefined || alternatives.some(allowsString);
  }
}

/** Returns the version of the slices of a document: the validator knows 3.0 and 3.1. */
export function sliceVersion({ openapi }: Pick<ContractDocument, 'openapi'>): string {
  return openapi.startsWith('3.0.') ? openapi : '3.1.0';
}

/** The key of the operation in a slice. */
export const SLICE_METHOD = 'post';

/** The media type of the object of headers of a response, by name in lower case. */
export const HEADERS_MEDIA_TYPE = 'application/x-headers+json';

/** Returns the object of an operation, which may be in `additionalOperations` (OpenAPI 3.2, 4.9.1). */
export function findOperationObject(document: ContractDocument, { path, method }: Operation): Node {
  const pathItem = document.paths?.[path] ?? {};
  const additional = (pathItem['additionalOperations'] ?? {}) as Node;
  return (pathItem[method.toLowerCase()] ?? additional[method] ?? {}) as Node; // The linter has checked this shape.
}

/** Follows the `$ref` of a node to a component, repeatedly; returns nodes without one unchanged. */
export function resolveComponent(document: ContractDocument, node: unknown): Node {
  const reference = (node as Node)['$ref'];
  if (typeof reference !== 'string') return node as Node;
  const [, kind = '', name = ''] = /^#\/components\/([^/]+)\/([^/]+)$/.exec(reference) ?? [];
  return resolveComponent(document, document.components?.[kind]?.[name] ?? {});
}

/**
 * Copies a schema, or an object that contains some, in a simpler form: discriminators are conditions, which Ajv checks faster
 * than `oneOf` and with better messages, and there are no examples and extensions, in which it would take a member `id` for
 * the name of a schema.
 */
export function copySchema<Schema>(schema: Schema): Schema {
  const copy = structuredClone(schema);
  simplifySchemas(copy);
  return copy;
}

const MAX_FORM_SCHEMAS = 1_000;

/**
 * Replaces the schemas of files in a form. A reference to a form becomes a copy.
 *
 * @param form says which fields are files
 * @param file the schema of a file
 * @param resolve follows the `$ref` of a schema
 * @param copied counts the schemas that allOf, anyOf and oneOf lead to
 * @throws when they are too many: references may lead to one schema in more ways than can be counted
 */
export function withFiles(
  node: unknown,
  form: TextType,
  file: Node,
  resolve: (node: unknown) => unknown,
  copied = { count: 0 },
): unknown {
  copied.count += 1;
  if (copied.count > MAX_FORM_SCHEMAS) throw new Error(`a form combines more than ${String(MAX_FORM_SCHEMAS)} schemas`);
  const {
    properties = {},
    additionalProperties,
    ...schema
  } = resolve(node) as Node & {
    readonly properties?: Node;
  };
  const field = (member: unknown, type?: TextType): unknown => {
    if (type?.file === true) return file;
    return type?.items?.file === true ? { type: 'array', items: file } : member;
  };
  const additional = field(additionalProperties, form.additional);
  const parts = ['allOf', 'anyOf', 'oneOf'].filter((keyword) => keyword in schema);
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, field(member, form.properties?.[name])]),
    ),
    ...(additional !== undefined && { additionalProperties: additional }),
    ...Object.fromEntries(
      parts.map((keyword) => [
        keyword,
        (schema[keyword] as readonly unknown[]).map((part) => withFiles(part, form, file, resolve, copied)),
      ]),
    ),
  };
}

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

/** Returns the schema of the value of a parameter or a header. A schema cannot describe the text of other media types. */
function schemaOf({ schema, content }: Node, isWholeQuery = false): unknown {
  const [entry] = Object.entries((content ?? {}) as Readonly<Record<string, Node>>);
  const kind = entry && kindOf(entry[0]);
  const isParsed = kind === 'json' || (kind === 'form' && isWholeQuery);
  return wrapRef(schema ?? (isParsed ? entry?.[1]['schema'] : undefined) ?? {});
}

/** Moves a `$ref` into `allOf`: at the top level, the validator would copy its target and ignore its siblings. */
function wrapRef(schema: unknown): unknown {
  const { $ref, allOf = [], ...rest } = schema as Node;
  return $ref === undefined ? schema : { ...rest, allOf: [...(allOf as readonly unknown[]), { $ref }] };
}

function simplifySchemas(node: unknown, parentKey = ''): void {
  if (typeof node !== 'object' || node === null) return;
  simplifyDiscriminator(node as Record<string, unknown>);
  for (const [key, member] of Object.entries(node)) {
    const isData = isLiteralKeyword(key, parentKey);
    const isHint = isExtension(key, parentKey) || (isData && (key === 'example' || key === 'examples'));
    if (isHint) Reflect.deleteProperty(node, key);
    else if (!isData) simplifySchemas(member, key);
  }
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
