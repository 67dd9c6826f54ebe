import {
  findOperationObject,
  mergeParameters,
  resolveComponent,
  sliceVersion,
  type ContractDocument,
} from './contract-document.ts';
import { copySchema } from './copy-schema.ts';
import type { DirectedSchemas, Direction } from './directed-schemas.ts';
import { isItemList, kindOf } from './media-type.ts';
import type { Operation, TextType } from './operation.ts';

type Node = Readonly<Record<string, unknown>>;

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

/** The key of the operation in a slice. */
export const SLICE_METHOD = 'post';

/** The media type of the object of headers of a response, by name in lower case. */
export const HEADERS_MEDIA_TYPE = 'application/x-headers+json';

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

function mapValues(record: Node, map: (value: unknown) => unknown): Node {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}
