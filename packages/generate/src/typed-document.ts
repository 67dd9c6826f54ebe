import { isDeepStrictEqual } from 'node:util';
import { isJsonRange, isSequential, kindOf, sequenceKindOf, type TextType } from '@contract-first/contract';
import {
  constrainAlternatives,
  copyOf,
  createDirectedSchemas,
  DECODED,
  dereference,
  describesJson,
  isDecoded,
  isPlainText,
  listOperations,
  METHODS,
  optional,
  parametersOf,
  textTypeOf,
  valueSchemaOf,
  walkDocument,
  withFiles,
  type Content,
  type Direction,
  type Document,
  type OperationObject,
  type ParameterObject,
} from '@contract-first/documents';

type Node = Record<string, unknown>;
type Schema = Readonly<Record<string, unknown>>;

// The methods that openapi-typescript supports.
const PRINTED_METHODS = METHODS.filter((method) => method !== 'query');

const TEXT = { type: 'string' };
const FILE = { type: 'string', format: 'binary' };

/** A document for printing types. */
export type TypedDocument = {
  /** The client's view of the document. Only operations with the same view for handlers have an operationId. */
  readonly document: Document;
  /** The handler's view of the other operations, by operationId. */
  readonly handlerOperations: Readonly<Record<string, OperationObject>>;
};

/**
 * Copies a document and changes it so that the printed types match the service:
 *
 * - schemas are specific to requests or responses ({@link createDirectedSchemas});
 * - properties with an inserted default are required;
 * - an operation whose handler receives more than clients send, such as defaults, appears twice: as the client's view
 * without an operationId, and as the handler's view. The same applies to operations with methods that OpenAPI 3.1
 * lacks;
 * - parameters and headers have a schema instead of `content` or `$ref`; parameters that OpenAPI ignores are absent;
 * - strings that the application decodes are marked, except in bodies of plain text;
 * - only the files of multipart forms are `binary`, and sequences that are not parsed to a list have no schema;
 * - discriminators are constraints of the alternatives.
 */
export function toTypedDocument(original: Document, codecs: readonly string[]): TypedDocument {
  const document = copyOf(original);
  const forms = new Map<object, TextType>();
  const bytes = new Set<object>();
  walkDocument(
    document,
    ({ node, key }) => {
      if (kindOf(key) === 'multipart') forms.set(node, textTypeOf(document, node['schema'], true));
      if (isJsonRange(key) && !describesJson(document, key, node)) bytes.add(node);
    },
    ['mediaType'],
  );
  walkDocument(document, ({ kind, node, key }) => {
    if (kind === 'mediaType' && isPlainText(key, node, codecs)) Object.assign(node, withoutDecoding(node['schema']));
    if (kind === 'mediaType' && sequenceKindOf(key) !== undefined && !isSequential(key, node))
      Reflect.deleteProperty(node, 'schema');
    if (kind !== 'schema') return;
    if (node['format'] === 'binary') Reflect.deleteProperty(node, 'format');
    Reflect.deleteProperty(node, 'contentMediaType');
  });

  const { schemas = {} } = document.components ?? {};
  const directed = createDirectedSchemas(schemas);
  for (const name of Object.keys(schemas)) directed.of({ $ref: `#/components/schemas/${name}` }, 'response');
  const handlerOperations: Record<string, OperationObject> = {};
  for (const operation of listOperations(document)) directRequests(operation);
  walkDocument(
    document,
    ({ kind, node, holder, key }) => {
      if (kind === 'header') {
        const { content, ...header } = dereference(document, node) as ParameterObject; // The kind of the node.
        holder[key] = {
          ...header,
          schema: directed.of(valueSchemaOf({ ...header, ...optional('content', content) }) ?? TEXT, 'response'),
        };
      }
      if ('$ref' in node) return;
      if (kind === 'pathItem') Object.assign(node, { parameters: parametersOf(document, node, { operationId: '' }) });
      if (kind === 'parameter') holder[key] = directParameter(node as ParameterObject, 'sent');
      if (kind === 'requestBody') Object.assign(node, { content: directContent(node['content'] as Content, 'sent') });
      if (kind === 'response') {
        const { content = {}, headers = {} } = node as { readonly content?: Content; readonly headers?: Schema };
        const kept = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-type');
        Object.assign(node, { content: directContent(content, 'response'), headers: Object.fromEntries(kept) });
      }
    },
    ['header', 'pathItem', 'parameter', 'requestBody', 'response'],
  );

  const typed = {
    document: { ...document, components: { ...document.components, schemas: directed.schemas } },
    handlerOperations,
  };
  walkTyped(typed, ({ kind, node }) => {
    if (kind === 'schema') requireDefaults(node);
  });
  walkTyped(typed, ({ kind, node, holder, key }) => {
    if (kind === 'schema') holder[key] = constrainAlternatives(node);
  });
  return typed;

  /** Returns the schema of a body without the mark of decoded strings. */
  function withoutDecoding(node: unknown): { readonly schema?: unknown } {
    const schema = dereference(document, node) as Schema | undefined;
    if (schema === undefined || !isDecoded(schema)) return {};
    return { schema: Object.fromEntries(Object.entries(schema).filter(([keyword]) => keyword !== DECODED)) };
  }

  /** Replaces the request of an operation with the client's view, and adds an operation with the handler's view. */
  function directRequests({ method, object, pathItem }: ReturnType<typeof listOperations>[number]): void {
    const { operationId } = object;
    const parameters = parametersOf(document, pathItem, object);
    const body = dereference(document, object.requestBody);
    const requestOf = (direction: Direction) => ({
      parameters: parameters.map((parameter) => directParameter(parameter, direction)),
      ...(body && { requestBody: { ...body, content: directContent(body.content, direction) } }),
    });
    const sent = requestOf('sent');
    const received = requestOf('received');
    const isPrinted = PRINTED_METHODS.includes(method.toLowerCase());
    if (!isPrinted || !isDeepStrictEqual(sent, received)) {
      handlerOperations[operationId] = { ...object, ...received };
      Reflect.deleteProperty(object, 'operationId');
    }
    Object.assign(object, sent);
  }

  function directParameter({ content, ...documented }: ParameterObject, direction: Direction): ParameterObject {
    const { required = false } = documented;
    const own = valueSchemaOf({ ...documented, ...optional('content', content) }) ?? TEXT;
    const parameter = { ...documented, in: documented.in === 'querystring' ? ('query' as const) : documented.in };
    if (direction !== 'received') return { ...parameter, schema: directed.of(own, direction) };
    const schema = directed.parameter(own, required) as Schema;
    return { ...parameter, required: required || 'default' in schema, schema };
  }

  function directContent(content: Content, direction: Direction): Content {
    return Object.fromEntries(
      Object.entries(content).map(([name, mediaType]) => {
        // The type of bytes in a range does not depend on their schema.
        if (direction === 'received' && bytes.has(mediaType)) return [name, {}];
        const form = forms.get(mediaType);
        const schema =
          form === undefined || mediaType.schema === undefined
            ? mediaType.schema
            : withFiles(mediaType.schema, form, FILE, (node) => dereference(document, node));
        return [name, { ...mediaType, ...optional('schema', schema && directed.of(schema, direction)) }];
      }),
    );
  }
}

/** Visits the objects of both views that contain schemas. */
export function walkTyped(
  { document, handlerOperations }: TypedDocument,
  visit: Parameters<typeof walkDocument>[1],
): void {
  walkDocument(document, visit);
  walkDocument({ paths: { '': { additionalOperations: handlerOperations } } }, visit);
}

/** Requires the properties with a default: directed schemas keep defaults only for handlers, after insertion. */
function requireDefaults(schema: Node): void {
  const { properties = {}, required = [] } = schema as { properties?: Schema; required?: readonly string[] };
  const inserted = Object.entries(properties).filter(([, member]) =>
    Object.hasOwn(Object(member) as object, 'default'),
  );
  if (inserted.length > 0) schema['required'] = [...new Set([...required, ...inserted.map(([name]) => name)])];
}
