import type { OpenApiDocument } from '../contract/load.ts';
import { IGNORED_PARAMETERS, METHODS, withDefaultStyle } from '../contract/openapi-rules.ts';
import { dereference } from '../contract/reference.ts';
import type { ApiOperation, ApiResponse, BodyContent, Parameter, SecurityScheme } from './api-operation.ts';
import type { Schema, SchemaDocument } from './dialect.ts';

type MediaTypeObject = {
  readonly schema?: Schema;
  readonly encoding?: Readonly<Record<string, { readonly contentType?: string }>>;
};
type Content = Readonly<Record<string, MediaTypeObject>>;
type ParameterObject = Partial<Parameter> & {
  readonly name: string;
  readonly in: Parameter['in'];
  readonly content?: Content;
};
type ResponseObject = { readonly headers?: Readonly<Record<string, unknown>>; readonly content?: Content };
type Server = { readonly url: string; readonly variables?: Readonly<Record<string, { readonly default: string }>> };
type OperationObject = {
  readonly operationId?: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses?: Readonly<Record<string, unknown>>;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly servers?: readonly Server[];
};
type PathItem = OperationObject & Readonly<Record<string, OperationObject | undefined>>;
type Document = OpenApiDocument & {
  readonly paths?: Readonly<Record<string, unknown>>;
  readonly security?: OperationObject['security'];
  readonly servers?: readonly Server[];
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, unknown>> };
};

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
    const pathItem = dereference(document, item) as PathItem;
    const responseItem = dereference(responseDocument, responseDocument.paths?.[path]) as PathItem;
    const methods = METHODS.filter((method) => pathItem[method] !== undefined);
    return methods.map((method): ApiOperation => {
      const operation = pathItem[method] ?? {};
      const security = operation.security ?? document.security ?? [];
      return {
        operationId: operation.operationId ?? `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path: basePathOf(servedAt, operation.servers ?? pathItem.servers ?? document.servers) + path,
        pathMethods: methods.map((name) => name.toUpperCase()),
        parameters: readParameters(document, pathItem, operation),
        requestBody: readRequestBody(dereference(document, operation.requestBody)),
        responses: readResponses(responseDocument, responseItem[method]?.responses ?? {}),
        security: security.map((requirement) => Object.keys(requirement).map((name) => schemeNamed(document, name))),
      };
    });
  });
}

function readParameters(document: Document, pathItem: PathItem, operation: OperationObject): Parameter[] {
  const byName = new Map<string, Parameter>();
  for (const node of [pathItem.parameters ?? [], operation.parameters ?? []].flat()) {
    const object = dereference(document, node) as ParameterObject;
    const { name, in: location, content, required = false, allowEmptyValue = false } = object;
    const key = `${location} ${name}`;
    if (IGNORED_PARAMETERS.test(key)) continue;
    const schema = content === undefined ? object.schema : Object.values(content)[0]?.schema;
    const parameter = { name, in: location, required, ...withDefaultStyle(object), allowEmptyValue };
    byName.set(key, { ...parameter, isJson: content !== undefined, schema });
  }
  return [...byName.values()];
}

function readRequestBody(node: unknown): ApiOperation['requestBody'] {
  if (node === undefined) return undefined;
  const { required = false, content = {} } = node as { readonly required?: boolean; readonly content?: Content };
  return { required, contents: readContents(content) };
}

function readResponses(document: Document, responses: Readonly<Record<string, unknown>>): Record<string, ApiResponse> {
  const entries = Object.entries(responses).map(([status, node]): [string, ApiResponse] => {
    const { headers = {}, content = {} } = dereference(document, node) as ResponseObject;
    const read = Object.entries(headers).map(([name, header]) => {
      const { required = false, schema } = dereference(document, header) as { required?: boolean; schema?: Schema };
      return { name: name.toLowerCase(), required, schema };
    });
    // A header object named Content-Type is ignored (OpenAPI 3.1, 4.8.17.1).
    return [status, { headers: read.filter(({ name }) => name !== 'content-type'), contents: readContents(content) }];
  });
  return Object.fromEntries(entries);
}

function readContents(content: Content): BodyContent[] {
  return Object.entries(content).map(([mediaType, { schema, encoding = {} }]) => {
    const types = Object.entries(encoding).flatMap(([name, { contentType }]) =>
      contentType ? [[name, contentType]] : [],
    );
    return {
      mediaType: mediaType.toLowerCase(),
      schema,
      partTypes: Object.fromEntries(types) as Record<string, string>,
    };
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
