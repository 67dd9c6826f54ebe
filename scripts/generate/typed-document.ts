import { isDeepStrictEqual } from 'node:util';
import { createDirectedSchemas, type Direction } from '../../src/engine/contract/directed-schemas.ts';
import { kindOf } from '../../src/engine/contract/media-type.ts';
import type { TextType } from '../../src/engine/contract/operation.ts';
import {
  listOperations,
  type Content,
  type Document,
  type ParameterObject,
  type PathItem,
  type RequestBodyObject,
} from '../openapi/document.ts';
import { parametersOf, schemaOf } from '../openapi/operations.ts';
import { optional } from '../openapi/optional.ts';
import { dereference } from '../openapi/reference.ts';
import { textTypeOf } from '../openapi/text-types.ts';
import { walkDocument } from '../openapi/walk.ts';
import { simplifySchema } from './typed-schema.ts';

type Node = Record<string, unknown>;
type Schema = Readonly<Record<string, unknown>>;

/** Stands for `#` in operationIds, where openapi-typescript would put a slash. From the private use area. */
export const HASH = '\uE001';

const FILE = { type: 'string', format: 'binary' };

/**
 * Copies a document as openapi-typescript needs it to render types that agree with the service:
 *
 * - schemas are those of requests or of responses ({@link createDirectedSchemas}), and simpler ({@link simplifySchema});
 * - an operation whose handler receives more than clients send, such as defaults, is there twice: as clients see it, without
 *   an operationId, and as its handler sees it, below a path that does not begin with a slash;
 * - parameters and headers have a schema in place of `content` or `$ref`, and those that OpenAPI ignores are absent;
 * - only the files of multipart forms are `binary`;
 * - there are no extensions, where openapi-typescript would resolve every `$ref`.
 */
export function toTypedDocument(original: Document): Document {
  const document = structuredClone(original);
  const forms = new Map<object, TextType>();
  walkDocument(document, ({ kind, node, key }) => {
    if (kind === 'mediaType' && kindOf(key) === 'multipart') forms.set(node, textTypeOf(document, node['schema']));
  });
  walkDocument(document, ({ kind, node }) => {
    for (const name of Object.keys(node)) if (name.startsWith('x-')) Reflect.deleteProperty(node, name);
    if (kind !== 'schema') return;
    if (node['format'] === 'binary') Reflect.deleteProperty(node, 'format');
    Reflect.deleteProperty(node, 'contentMediaType');
  });

  const { schemas = {} } = document.components ?? {};
  const directed = createDirectedSchemas(schemas);
  for (const name of Object.keys(schemas)) directed.of({ $ref: `#/components/schemas/${name}` }, 'response');
  const handlerPaths = new Map<PathItem, [string, object][]>();
  for (const operation of listOperations(document)) directRequests(operation);
  walkDocument(document, ({ kind, node, holder, key }) => {
    if (kind === 'header') {
      const { content, ...header } = dereference(document, node) as ParameterObject; // The linter has checked this shape.
      holder[key] = {
        ...header,
        schema: directed.of(textSchemaOf({ ...header, ...optional('content', content) }), 'response'),
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
  });

  const paths = Object.entries(document.paths ?? {}).flatMap(([path, pathItem]) => [
    ...structuredClone(handlerPaths.get(pathItem) ?? []),
    [path, pathItem] as const,
  ]);
  const components = { ...document.components, schemas: directed.schemas };
  const typed = structuredClone({ ...document, paths: Object.fromEntries(paths), components }) as Document;
  walkDocument(typed, ({ kind, node, holder, key }) => {
    if (kind === 'schema') holder[key] = simplifySchema(node);
  });
  return typed;

  /** Makes the request of an operation the one that clients send, and adds the one that its handler receives. */
  function directRequests({ method, object, pathItem }: ReturnType<typeof listOperations>[number]): void {
    const operationId = object.operationId.replaceAll('#', HASH);
    const parameters = parametersOf(document, pathItem, object);
    const body = dereference(document, object.requestBody) as RequestBodyObject | undefined;
    const requestOf = (direction: Direction) => ({
      parameters: parameters.map((parameter) => directParameter(parameter, direction)),
      ...(body && { requestBody: { ...body, content: directContent(body.content, direction) } }),
    });
    const sent = requestOf('sent');
    const received = requestOf('received');
    if (!isDeepStrictEqual(sent, received)) {
      const path = [`handler of ${operationId}`, { [method]: { ...object, operationId, ...received } }] as [
        string,
        object,
      ];
      handlerPaths.set(pathItem, [...(handlerPaths.get(pathItem) ?? []), path]);
      Reflect.deleteProperty(object, 'operationId');
    } else Object.assign(object, { operationId });
    Object.assign(object, sent);
  }

  function directParameter({ content, ...parameter }: ParameterObject, direction: Direction): Node {
    const { required = false } = parameter as { readonly required?: boolean };
    const own = textSchemaOf({ ...parameter, ...optional('content', content) });
    if (direction !== 'received') return { ...parameter, schema: directed.of(own, direction) };
    const schema = directed.parameter(own, required) as Schema;
    return { ...parameter, required: required || 'default' in schema, schema };
  }

  function directContent(content: Content, direction: Direction): Content {
    return Object.fromEntries(
      Object.entries(content).map(([name, mediaType]) => {
        const form = forms.get(mediaType);
        const schema = form === undefined ? mediaType.schema : withFiles(mediaType.schema, form);
        return [name, { ...mediaType, ...optional('schema', schema && directed.of(schema, direction)) }];
      }),
    );
  }

  /** Marks the fields of a form that are files. A reference to a form becomes a copy. */
  function withFiles(node: unknown, form: TextType): unknown {
    const {
      properties = {},
      additionalProperties,
      ...schema
    } = dereference(document, node) as {
      readonly [keyword: string]: unknown;
      readonly properties?: Schema;
      readonly additionalProperties?: unknown;
    };
    const field = (member: unknown, type?: TextType): unknown => {
      if (type?.file === true) return FILE;
      return type?.items?.file === true ? { type: 'array', items: FILE } : member;
    };
    const parts = ['allOf', 'anyOf', 'oneOf'].filter((keyword) => keyword in schema);
    return {
      ...schema,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, field(member, form.properties?.[name])]),
      ),
      ...optional('additionalProperties', field(additionalProperties, form.additional)),
      ...Object.fromEntries(
        parts.map((keyword) => [keyword, (schema[keyword] as unknown[]).map((part) => withFiles(part, form))]),
      ),
    };
  }
}

/** Returns the schema of a parameter or header. Of `content`, only JSON is parsed. */
function textSchemaOf(parameter: ParameterObject): unknown {
  const [mediaType = 'application/json'] = Object.keys(parameter.content ?? {});
  return kindOf(mediaType) === 'json' ? (schemaOf(parameter) ?? {}) : { type: 'string' };
}
