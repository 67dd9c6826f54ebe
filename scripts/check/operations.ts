import {
  operationsOf,
  type Document,
  type OperationObject,
  type PathItem,
  type ResponseObject,
  type Server,
} from '../openapi/document.ts';
import { withDefaultStyle } from '../openapi/openapi-rules.ts';
import { parametersOf, schemaOf } from '../openapi/operations.ts';
import { dereference } from '../openapi/reference.ts';
import type { ApiOperation, ApiResponse, BodyContent, Parameter, SecurityScheme } from './api-operation.ts';
import type { Schema, SchemaDocument } from '../values/dialect.ts';

type MediaTypeObject = {
  readonly schema?: Schema;
  readonly encoding?: Readonly<Record<string, { readonly contentType?: string }>>;
};
type Content = Readonly<Record<string, MediaTypeObject>>;

/**
 * Lists the operations of a document.
 *
 * @param requests the document with its schemas for requests
 * @param responses the document with its schemas for responses
 * @param servedAt the path of the server's URL; `/` for the base path of the document
 */
export function listOperations(requests: SchemaDocument, responses: SchemaDocument, servedAt: string): ApiOperation[] {
  const document = requests.document as Document; // The linter has checked this shape, as all those below.
  const responseDocument = responses.document as Document;
  return Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const pathItem = dereference(document, item) as PathItem & { readonly servers?: readonly Server[] };
    const responseItem = dereference(responseDocument, responseDocument.paths?.[path]) as PathItem;
    const operations = operationsOf(pathItem);
    const responsesByMethod = new Map(operationsOf(responseItem).map(([method, { responses }]) => [method, responses]));
    return operations.map(([method, operation]): ApiOperation => {
      const { operationId } = operation as Partial<OperationObject>;
      const security = operation.security ?? document.security ?? [];
      return {
        operationId: operationId ?? `${method} ${path}`,
        method,
        path: basePathOf(servedAt, operation.servers ?? pathItem.servers ?? document.servers) + path,
        pathMethods: operations.map(([name]) => name),
        parameters: readParameters(document, pathItem, operation),
        requestBody: readRequestBody(dereference(document, operation.requestBody)),
        responses: readResponses(responseDocument, responsesByMethod.get(method) ?? {}),
        security: security.map((requirement) => Object.keys(requirement).map((name) => schemeNamed(document, name))),
      };
    });
  });
}

function readParameters(document: Document, pathItem: PathItem, operation: OperationObject): Parameter[] {
  return parametersOf(document, pathItem, operation).map((object): Parameter => {
    const { name, in: location, content } = object;
    const { required = false, allowEmptyValue = false } = object as Partial<Parameter>;
    const parameter = { name, required, ...withDefaultStyle(object), allowEmptyValue };
    // No values are generated for a whole query: its style is unknown.
    const place = location === 'querystring' ? ({ in: 'query', style: 'querystring' } as const) : { in: location };
    return { ...parameter, ...place, isJson: content !== undefined, schema: schemaOf(object) as Schema | undefined };
  });
}

function readRequestBody(node: unknown): ApiOperation['requestBody'] {
  if (node === undefined) return undefined;
  const { required = false, content = {} } = node as { readonly required?: boolean; readonly content?: Content };
  return { required, contents: readContents(content) };
}

function readResponses(document: Document, responses: Readonly<Record<string, unknown>>): Record<string, ApiResponse> {
  const entries = Object.entries(responses).map(([status, node]): [string, ApiResponse] => {
    const { headers: objects = {}, content = {} } = dereference(document, node) as ResponseObject;
    const headers = Object.entries(objects).map(([name, header]) => {
      const { required = false, schema } = dereference(document, header) as { required?: boolean; schema?: Schema };
      return { name: name.toLowerCase(), required, schema };
    });
    // A header object named Content-Type is ignored (OpenAPI 3.1, 4.8.17.1).
    const own = headers.filter(({ name }) => name !== 'content-type');
    return [status, { headers: own, contents: readContents(content as Content) }];
  });
  return Object.fromEntries(entries);
}

function readContents(content: Content): BodyContent[] {
  return Object.entries(content).map(([mediaType, { schema, encoding = {} }]) => {
    const types = Object.entries(encoding).flatMap(([name, { contentType }]) =>
      contentType ? [[name, contentType]] : [],
    );
    const partTypes = Object.fromEntries(types) as Record<string, string>;
    return { mediaType: mediaType.toLowerCase(), schema, partTypes };
  });
}

function schemeNamed(document: Document, name: string): SecurityScheme {
  return dereference(document, document.components?.securitySchemes?.[name]) as SecurityScheme;
}

/** Returns the prefix of the document's paths, without a trailing slash. */
function basePathOf(servedAt: string, servers: readonly Server[] | undefined): string {
  if (servedAt !== '/') return servedAt.replace(/\/$/, '');
  const { url = '/', variables = {} } = servers?.[0] ?? {};
  const filled = url.replaceAll(/\{([^}]+)\}/g, (_whole, name: string) => variables[name]?.default ?? '');
  return new URL(filled, 'http://127.0.0.1').pathname.replace(/\/$/, '');
}
