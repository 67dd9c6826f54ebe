import type { DirectedSchemas, Direction } from './directed-schemas.ts';
import { isExtension, isLiteralKeyword } from './literal-keywords.ts';
import { isItemList, kindOf } from './media-type.ts';
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
 * Creates a document with one operation and no components, so that the cost of a validator does not grow with the
 * contract. The document is simplified:
 *
 * - it has version 3.1 or 3.0, and any method is {@link SLICE_METHOD}: the validator knows no others;
 * - `$ref`s are resolved, except those to schemas;
 * - parameters have a schema but no style, since they are already parsed, and may be empty;
 * - request bodies have a JSON media type ({@link sliceMediaType});
 * - responses have only bodies that may be JSON or text;
 * - schemas are those of requests or of responses;
 * - `discriminator`, examples and extensions are removed ({@link copySchema}).
 *
 * @param directed derives the schemas, and receives those that the operation refers to
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
    parameters: mergeParameters(shared.map(resolveRef), parameters.map(resolveRef)).map((parameter) =>
      simplifyParameter(parameter, directed),
    ),
    ...(requestBody !== undefined && { requestBody: simplifyRequestBody(resolveRef(requestBody), bodyOf('received')) }),
    responses: mapValues(responses, (response) => simplifyResponse(resolveRef(response), bodyOf('response'))),
  };
  const { info } = document;
  const openapi = document.openapi.startsWith('3.0.') ? document.openapi : '3.1.0';
  return copySchema({ openapi, info, paths: { [path]: { [SLICE_METHOD]: operation } } });

  function bodyOf(direction: Direction): BodySchema {
    return (mediaType, schema) =>
      // A text has no value other than a string.
      kindOf(mediaType) === 'text' && !allowsString(schema) ? {} : directed.of(wrapRef(schema), direction);
  }

  function allowsString(node: unknown): boolean {
    const { type = 'string', allOf = [], anyOf, oneOf } = resolveRef(node) as Readonly<Record<string, unknown[]>>;
    const alternatives = anyOf ?? oneOf;
    if (![type].flat().includes('string') || !allOf.every(allowsString)) return false;
    return alternatives === undefined || alternatives.some(allowsString);
  }
}

/** The key of the operation in a slice. */
export const SLICE_METHOD = 'post';

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
 * Copies a schema, or an object that contains some, without discriminators, examples and extensions: they are hints, which
 * must not affect validity.
 */
export function copySchema<Schema>(schema: Schema): Schema {
  const copy = structuredClone(schema);
  removeHints(copy);
  return copy;
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

/** Returns the schema that a body of a media type is validated with. */
type BodySchema = (mediaType: string, schema: unknown) => unknown;

function simplifyParameter(parameter: Node, { parameter: direct }: DirectedSchemas): Node {
  const { name, in: location, required = false, schema, content } = parameter;
  const [entry] = Object.entries((content ?? {}) as Readonly<Record<string, Node>>);
  // A schema cannot describe the text of other media types.
  const kinds = location === 'querystring' ? ['json', 'form'] : ['json'];
  const own = schema ?? (entry && kinds.includes(kindOf(entry[0])) ? entry[1]['schema'] : undefined) ?? {};
  return {
    name,
    in: location === 'querystring' ? 'query' : location,
    required,
    schema: direct(wrapRef(own), required === true),
    allowEmptyValue: true,
  };
}

function simplifyRequestBody({ required = false, content }: Node, bodyOf: BodySchema): Node {
  const entries = Object.entries(content as Readonly<Record<string, Node>>).map(([mediaType, object]) => {
    // A schema cannot describe bytes.
    const isBytes = kindOf(mediaType) === 'binary' && !isItemList(mediaType, object);
    return [sliceMediaType(mediaType), { schema: isBytes ? {} : bodyOf(mediaType, object['schema'] ?? {}) }];
  });
  return { required, content: Object.fromEntries(entries) as Node };
}

function simplifyResponse({ description, content = {} }: Node, bodyOf: BodySchema): Node {
  const json = Object.entries(content as Readonly<Record<string, Node>>)
    .filter(
      ([mediaType, object]) =>
        ['json', 'text'].includes(kindOf(mediaType)) || mediaType.includes('*') || isItemList(mediaType, object),
    )
    .map(([mediaType, { schema = {} }]) => [sliceMediaType(mediaType), { schema: bodyOf(mediaType, schema) }]);
  return { description, ...(json.length > 0 && { content: Object.fromEntries(json) as Node }) };
}

/** Moves a `$ref` into `allOf`: at the top level, the validator would copy its target and ignore its siblings. */
function wrapRef(schema: unknown): unknown {
  const { $ref, allOf = [], ...rest } = schema as Node;
  return $ref === undefined ? schema : { ...rest, allOf: [...(allOf as readonly unknown[]), { $ref }] };
}

/** Removes discriminators, and examples and extensions, in which Ajv would take a member `id` for the name of a schema. */
function removeHints(node: unknown, parentKey = ''): void {
  if (typeof node !== 'object' || node === null) return;
  const { discriminator } = node as { discriminator?: { propertyName?: unknown } };
  if (typeof discriminator?.propertyName === 'string') delete (node as Record<string, unknown>)['discriminator'];
  for (const [key, member] of Object.entries(node)) {
    const isData = isLiteralKeyword(key, parentKey);
    const isHint = isExtension(key, parentKey) || (isData && (key === 'example' || key === 'examples'));
    if (isHint) Reflect.deleteProperty(node, key);
    else if (!isData) removeHints(member, key);
  }
}

function mapValues(record: Node, map: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
