import { kindOf, normalizeTemplate } from '@contract-first/contract';
import {
  basePathsOf,
  dereference,
  type Document,
  type OperationObject,
  operationsOf,
  parametersOf,
  type PathItem,
  type Server,
  valueSchemaOf,
  withDefaultStyle,
} from '@contract-first/documents';
import type { JsonSchema, SchemaDocument } from '../values/json-schema.ts';
import { scalarTypesOf } from '../values/schema-merge.ts';
import type { ApiOperation, ApiParameter, PathMethods, ApiSecurityScheme } from './api-operation.ts';
import { examplesOf } from './documented-examples.ts';
import { keywordsOf, type DocumentedContent, readRequestBody, readResponses } from './read-contents.ts';
import { isPlaceholder } from './remove-invalid.ts';

/**
 * Lists the operations of a document.
 *
 * @param requests the document with its schemas for requests
 * @param responses the document with its schemas for responses
 * @param servedAt the path of the server's URL; `undefined` for the base paths of the document
 */
export function readOperations(requests: SchemaDocument, responses: SchemaDocument, servedAt?: string): ApiOperation[] {
  const document = requests.document as Document; // Validated document, as in all casts below.
  const responseDocument = responses.document as Document;
  const allPaths: PathMethods[] = [];
  const all = Object.entries(document.paths ?? {}).flatMap(([path, item]) => {
    const pathItem = dereference(document, item);
    const responseItem = dereference(responseDocument, responseDocument.paths?.[path]) as PathItem;
    const operations = operationsOf(pathItem);
    const pathsOf = ({ servers = pathItem.servers ?? document.servers }: OperationObject): readonly string[] =>
      basePathsAt(servedAt, servers).map((basePath) => basePath + normalizeTemplate(path));
    const responsesByMethod = new Map(operationsOf(responseItem).map(([method, { responses }]) => [method, responses]));
    return operations.map(([method, operation]): Omit<ApiOperation, 'moreSpecificPaths'> => {
      const { operationId } = operation as Partial<OperationObject>;
      const security = (operation.security ?? document.security ?? []).map((requirement) =>
        Object.entries(requirement).map(([id, scopes]) => ({ ...schemeNamed(document, id), id, scopes })),
      );
      const documented = readParameters(requests, pathItem, operation);
      const parameters = documented.filter((parameter) => !OF_MESSAGE.test(placeOf(parameter)));
      const fullPaths = pathsOf(operation);
      const [fullPath = path] = fullPaths;
      const paths = fullPaths.map((one) => ({ path: one, pattern: pathPattern(one) }));
      allPaths.push(...paths.map((one) => ({ ...one, methods: [method] })));
      return {
        operationId: operationId ?? `${method} ${path}`,
        method,
        path: fullPath,
        paths,
        template: path,
        tags: operation.tags ?? [],
        isInvalid: isPlaceholder(operation),
        isDeprecated: operation.deprecated === true,
        pathMethods: operations.filter(([, other]) => pathsOf(other).includes(fullPath)).map(([name]) => name),
        allPaths,
        // Credentials that are also documented as parameters are sent once.
        parameters: parameters.filter((parameter) => !isCredential(parameter, security.slice(0, 1))),
        hasCredentialParameters: parameters.some((parameter) => isCredential(parameter, security)),
        contentLength: documented.find((parameter) => /^header content-length$/i.test(placeOf(parameter)))?.schema,
        requestBody: readRequestBody(requests, dereference(document, operation.requestBody)),
        responses: readResponses(responses, responsesByMethod.get(method) ?? {}),
        security,
      };
    });
  });
  return all.map((operation) => ({ ...operation, moreSpecificPaths: moreSpecificThan(operation) }));
}

/** Returns the patterns of more specific paths: `/{id}.{format}` for `/{id}`. */
function moreSpecificThan({
  path,
  method,
  allPaths,
}: Pick<ApiOperation, 'path' | 'method' | 'allPaths'>): readonly RegExp[] {
  const own = pathPattern(path);
  return allPaths
    .filter((other) => other.methods.includes(method) && own.test(other.path) && !other.pattern.test(path))
    .map(({ pattern }) => pattern);
}

// The client sets these headers, which describe the message itself.
const OF_MESSAGE =
  /^header (?:content-(?:encoding|length)|transfer-encoding|host|connection|te|trailer|upgrade|expect)$/i;

function placeOf({ in: location, name }: ApiParameter): string {
  return `${location} ${name}`;
}

// A schema without these keywords means text: OpenAPI does not define how to recognize lists and objects.
const TYPING = [
  'type',
  'items',
  'prefixItems',
  'properties',
  'additionalProperties',
  'anyOf',
  'oneOf',
  'enum',
  'const',
];

/** Returns whether a schema allows strings and other scalars. */
function allowsTextAndMore(schemas: SchemaDocument, schema: JsonSchema): boolean {
  const types = scalarTypesOf(schemas, schema);
  return types.includes('string') && types.length > 1;
}

function isCredential(parameter: ApiParameter, security: ApiOperation['security']): boolean {
  return security.flat().some((scheme) => isSamePlace(scheme, parameter));
}

function isSamePlace({ type, ...scheme }: ApiSecurityScheme, { name, in: location }: ApiParameter): boolean {
  const key = (text = ''): string => (location === 'header' ? text.toLowerCase() : text);
  return type === 'apiKey' && scheme.in === location && key(scheme.name) === key(name);
}

function readParameters(schemas: SchemaDocument, pathItem: PathItem, operation: OperationObject): ApiParameter[] {
  return parametersOf(schemas.document as Document, pathItem, operation).map((object): ApiParameter => {
    const { name, in: location, content } = object;
    const { required = false, allowEmptyValue = false } = object as Partial<ApiParameter>;
    const parameter = { name, required, ...withDefaultStyle(object), allowEmptyValue };
    // A whole query has an unknown style, so that no values are generated for it.
    const place = location === 'querystring' ? ({ in: 'query', style: 'querystring' } as const) : { in: location };
    const [mediaType] = Object.keys(content ?? {});
    const isJson = mediaType !== undefined && kindOf(mediaType) === 'json';
    const schema = valueSchemaOf(object) as JsonSchema | undefined;
    const keywords = schema === undefined ? {} : keywordsOf(schemas, schema);
    const hasDefault = keywords['default'] !== undefined;
    const isUntyped = !TYPING.some((keyword) => keyword in keywords);
    const { items } = keywords as { readonly items?: JsonSchema };
    const isAmbiguous = !isUntyped && [schema ?? true, items ?? false].some((part) => allowsTextAndMore(schemas, part));
    // Validated document.
    const described = (Object.values(content ?? {})[0] ?? object) as DocumentedContent;
    const kind = { isJson, hasDefault, isUntyped, isAmbiguous };
    return { ...parameter, ...place, ...kind, schema, ...examplesOf(schemas, described, schema) };
  });
}

function schemeNamed(document: Document, id: string): Omit<ApiSecurityScheme, 'id' | 'scopes'> {
  return dereference(document, document.components?.securitySchemes?.[id]) as Omit<ApiSecurityScheme, 'id' | 'scopes'>;
}

/** Returns the base paths of the document's servers in order, without a trailing slash. */
function basePathsAt(servedAt: string | undefined, servers: readonly Server[] | undefined): readonly string[] {
  if (servedAt !== undefined) return [servedAt.replace(/\/$/, '')];
  const { basePaths = [''], templatedBasePaths = [] } = basePathsOf(servers) ?? {};
  return [...basePaths, ...templatedBasePaths];
}

/**
 * Returns a regular expression for the paths that match a template, such as `/things/{id}` or `/things/{}`.
 *
 * @param parameter the source of the expression for a parameter
 */
export function pathPattern(template: string, parameter = '[^/]+'): RegExp {
  const parts = template.split(/\{[^{}]*\}/).map((text) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join(parameter)}$`);
}
