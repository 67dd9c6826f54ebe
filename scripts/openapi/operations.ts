import type { Contract } from '../../src/engine/contract/contract.ts';
import type { Int64Shape } from '../../src/engine/contract/int64.ts';
import { isItemList, kindOf } from '../../src/engine/contract/media-type.ts';
import type {
  Operation,
  Parameter,
  RequestMediaType,
  DocumentedResponse,
} from '../../src/engine/contract/operation.ts';
import { mergeParameters } from '../../src/engine/contract/slice-document.ts';
import {
  listOperations,
  type Document,
  type ParameterObject,
  type PathItem,
  type OperationObject,
  type RequestBodyObject,
  type ResponseObject,
  type SecuritySchemeObject,
  type Server,
} from './document.ts';
import { findFailures, type FailureBody } from './failures.ts';
import { findInt64s, type Int64Finder } from './int64-shapes.ts';
import { withDefaultStyle } from './openapi-rules.ts';
import { optional } from './optional.ts';
import { dereference, type OpenApiDocument } from './reference.ts';
import { textTypeOf } from './text-types.ts';

/** The tables that the service uses besides the document itself. */
export type CompiledOperations = Omit<Contract, 'document'>;

/**
 * Compiles a linted document into the tables that the service uses.
 *
 * @returns the tables, and the bodies of failures that the application renders
 */
export function compileOperations(contract: OpenApiDocument): {
  readonly compiled: CompiledOperations;
  readonly failureBodies: readonly FailureBody[];
} {
  const document = contract as Document; // The linter has checked this shape.
  const int64s = findInt64s(document);
  const operations = listOperations(document).map(({ path, method, object, pathItem }): Operation => {
    const parameters = parametersOf(document, pathItem, object);
    const requestBody = dereference(document, object.requestBody) as RequestBodyObject | undefined;
    return {
      operationId: object.operationId,
      method,
      path,
      security: (object.security ?? document.security ?? []).map((requirement) =>
        Object.entries(requirement).map(([scheme, scopes]) => ({ scheme, scopes })),
      ),
      parameters: parameters.map((parameter) => planParameter(document, parameter)),
      ...optional('basePaths', basePathsOf(object.servers ?? pathItem.servers)),
      ...optional('parameterInt64s', parameterInt64s(parameters, int64s)),
      ...(requestBody && {
        requestBody: {
          required: requestBody.required ?? false,
          content: mapValues(requestBody.content, (object, mediaType): RequestMediaType => {
            const kind = kindOf(mediaType);
            const isForm = kind === 'form' || kind === 'multipart';
            const { schema } = object;
            return {
              ...(isItemList(mediaType, object) && { itemList: true }),
              ...optional('int64s', int64s.shapeOf(schema)),
              ...optional('form', isForm ? textTypeOf(document, schema) : undefined),
            };
          }),
        },
      }),
      responses: mapValues(object.responses ?? {}, (response) => planResponse(document, response)),
    };
  });
  const byId = Object.fromEntries(operations.map((operation) => [operation.operationId, operation]));
  const failures = findFailures(document, byId);
  const compiled = {
    operations: mapValues(byId, (operation) => ({
      ...operation,
      responses: mapValues(operation.responses, (response, key) => ({
        ...response,
        ...optional('failure', failures.nameOf(operation.operationId, key)),
      })),
    })),
    ...optional('usualFailure', failures.usual),
    securitySchemes: mapValues(document.components?.securitySchemes ?? {}, (node) => {
      const { type, scheme, in: place, name } = dereference(document, node) as SecuritySchemeObject;
      return {
        type,
        ...optional('scheme', scheme?.toLowerCase()),
        ...optional('in', place),
        ...optional('name', name),
      };
    }),
    basePaths: basePathsOf(document.servers) ?? [''],
    int64Shapes: int64s.named,
  };
  return { compiled, failureBodies: failures.bodies };
}

/** Returns the parameters of an operation, including those of its path item. */
export function parametersOf(document: Document, pathItem: PathItem, object: OperationObject): ParameterObject[] {
  const inlined = (list: readonly unknown[] = []) => list.map((node) => dereference(document, node) as ParameterObject);
  return mergeParameters(inlined(pathItem.parameters), inlined(object.parameters)) as ParameterObject[];
}

function planParameter(document: Document, parameter: ParameterObject): Parameter {
  const { name, in: place, content } = parameter;
  const { style, explode } = withDefaultStyle(parameter);
  return {
    name,
    in: place,
    style: content === undefined ? (style as Parameter['style']) : contentStyle(parameter, content), // The linter knows all.
    explode,
    type: textTypeOf(document, schemaOf(parameter)),
  };
}

function contentStyle({ in: place }: ParameterObject, content: object): Parameter['style'] {
  const kind = kindOf(Object.keys(content)[0] ?? '');
  if (kind === 'form' && place === 'querystring') return 'form';
  return kind === 'json' ? 'json' : 'text';
}

function parameterInt64s(parameters: readonly ParameterObject[], int64s: Int64Finder): Int64Shape | undefined {
  const places = Object.groupBy(parameters, ({ in: place }) => (place === 'querystring' ? 'query' : place));
  return int64s.shapeOf({
    properties: mapValues(places, (group) => ({
      properties: Object.fromEntries(group.map((parameter) => [parameter.name, schemaOf(parameter)])),
    })),
  });
}

function planResponse(document: Document, node: unknown): DocumentedResponse {
  const { content = {}, headers = {} } = dereference(document, node) as ResponseObject;
  const required = Object.entries(headers).filter(([name, header]) => {
    const { required: isRequired } = dereference(document, header) as { readonly required?: boolean };
    return isRequired === true && name.toLowerCase() !== 'content-type'; // It is set with the body.
  });
  const itemLists = Object.keys(content).filter((mediaType) => isItemList(mediaType, content[mediaType] ?? {}));
  return {
    mediaTypes: Object.keys(content),
    ...(itemLists.length > 0 && { itemLists }),
    requiredHeaders: required.map(([name]) => name.toLowerCase()),
  };
}

/** Returns the paths of servers, without a trailing slash; `undefined` without servers. */
function basePathsOf(servers: readonly Server[] = []): string[] | undefined {
  if (servers.length === 0) return undefined;
  const paths = servers.map(({ url, variables = {} }) => {
    const filled = url.replaceAll(/\{([^{}]+)\}/g, (_all, name: string) => variables[name]?.default ?? '');
    return (URL.parse(filled, 'http://localhost')?.pathname ?? '').replace(/\/+$/, '');
  });
  return [...new Set(paths)];
}

/** Returns the schema of a parameter: its own, or the one of its only media type. */
export function schemaOf({ schema, content = {} }: ParameterObject): unknown {
  return schema ?? Object.values(content)[0]?.schema;
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
