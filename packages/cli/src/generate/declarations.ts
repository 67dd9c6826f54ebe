import { findCodec } from '@contract-first/contract';
import {
  dereference,
  schemaOf,
  type Content,
  type Document,
  type ParameterObject,
  type PathItem,
} from '@contract-first/documents';
import type { SchemaTypes } from './schema-type.ts';
import {
  generic,
  literal,
  member,
  NEVER,
  object,
  otherMembers,
  STRING,
  typeNamed,
  union,
  UNKNOWN,
  type Documented,
  type Member,
  type Type,
} from './type-text.ts';
import { TYPED_METHODS } from './typed-document.ts';

const LOCATIONS = ['query', 'header', 'path', 'cookie'];

type Reference = { readonly $ref?: string };
type Header = ParameterObject & Reference;
type RequestBody = Documented & Reference & { readonly content?: Content; readonly required?: boolean };
type Response = Documented &
  Reference & { readonly content?: Content; readonly headers?: Readonly<Record<string, Header>> };
type Operation = Documented & {
  readonly operationId?: string;
  readonly parameters?: readonly unknown[];
  readonly requestBody?: RequestBody;
  readonly responses?: Readonly<Record<string, Response>>;
  readonly security?: Document['security'];
};
type Components = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * Renders the declarations of a typed document.
 *
 * @param schemas the types of its schemas, by name
 * @param codecs the media types for which the application has codecs
 */
export function renderDeclarations(
  document: Document,
  schemas: ReadonlyMap<string, Type>,
  { typeOf, referenceTo }: SchemaTypes,
  codecs: readonly string[],
): readonly string[] {
  const { paths = {}, components = {} } = document;
  const { webhooks = {} } = document as { readonly webhooks?: NonNullable<Document['paths']> }; // Since OpenAPI 3.1.
  const operations: Member[] = [];
  const pathItems = Object.entries(paths).map(([path, item]) => [path, pathItemType(item)] as const);
  return [
    // The others only hold operations as handlers see them.
    declare(
      'paths',
      pathItems.filter(([path]) => path.startsWith('/')).map(([path, type]) => member(path, type)),
    ),
    declare(
      'webhooks',
      Object.entries(webhooks).map(([name, item]) => member(name, pathItemType(item))),
    ),
    declare('components', componentMembers(components)), // By kind.
    declare('operations', operations),
  ];

  function componentMembers(components: Components): readonly Member[] {
    const kinds: Readonly<Record<string, (node: never, name: string) => Type>> = {
      schemas: (_schema, name) => schemas.get(name) ?? UNKNOWN,
      responses: responseType,
      parameters: parameterType,
      requestBodies: requestBodyType,
      headers: headerType,
      pathItems: pathItemType,
    };
    return Object.entries(kinds).map(([kind, typeOfKind]) => {
      const members = Object.entries(components[kind] ?? {}).map(([name, node]) =>
        member(name, typeOfKind(node as never, name), { documented: node as Documented }),
      );
      return member(kind, members.length === 0 ? NEVER : object(members));
    });
  }

  function pathItemType(item: PathItem & Reference): Type {
    if (item.$ref !== undefined) return referenceTo(item.$ref);
    const { parameters: shared = [] } = item;
    const methods = TYPED_METHODS.map((method) => {
      const operation = (item as Readonly<Record<string, unknown>>)[method] as Operation | undefined;
      if (operation === undefined) return member(method, NEVER, { isOptional: true });
      return member(method, operationType(operation, shared), { documented: operation });
    });
    return object([member('parameters', parametersType(shared)), ...methods]);
  }

  function operationType(
    { operationId, parameters = [], requestBody, responses = {}, security = document.security ?? [] }: Operation,
    shared: readonly unknown[],
  ): Type {
    const described = Object.entries(responses).map(([status, response]) =>
      member(status, responseType(response), { documented: response }),
    );
    const isProtected = security.length > 0 && security.every((requirement) => Object.keys(requirement).length > 0);
    const coded = [requestBody, ...Object.values(responses)]
      .flatMap((node) => Object.keys((dereference(document, node) as RequestBody | undefined)?.content ?? {}))
      .filter((mediaType) => findCodec(mediaType, codecs) !== undefined);
    const type = object([
      ...(isProtected ? [member('security', typeNamed('"required"'))] : []),
      ...(coded.length > 0 ? [member('codecs', union([...new Set(coded)].map(literal)))] : []),
      member('parameters', parametersType([...shared, ...parameters])),
      requestBody === undefined
        ? member('requestBody', NEVER, { isOptional: true })
        : member('requestBody', requestBodyType(requestBody), {
            isOptional: !isRequired(requestBody),
            documented: requestBody,
          }),
      member('responses', described.length === 0 ? NEVER : object(described)),
    ]);
    if (operationId === undefined) return type;
    operations.push(member(operationId, type));
    return typeNamed(`operations[${JSON.stringify(operationId)}]`);
  }

  function isRequired(body: RequestBody): boolean {
    return (dereference(document, body) as RequestBody).required === true;
  }

  /** Returns the type of parameters. The last parameter of a name wins. */
  function parametersType(nodes: readonly unknown[]): Type {
    const all = nodes.map((node) => dereference(document, node) as ParameterObject); // The linter has followed it.
    const byName = new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
    const parameters = [...byName.values()];
    return object(
      LOCATIONS.map((location) => {
        const members = parameters
          .filter((parameter) => parameter.in === location)
          .map((parameter) =>
            member(parameter.name, parameterType(parameter), {
              isOptional: location !== 'path' && parameter.required !== true,
              documented: parameter as Documented,
            }),
          );
        const isOptional = members.every((parameter) => parameter.isOptional);
        return member(location, members.length === 0 ? NEVER : object(members), { isOptional });
      }),
    );
  }

  function parameterType(parameter: ParameterObject): Type {
    const schema = schemaOf(parameter);
    return schema === undefined ? STRING : typeOf(schema);
  }

  function headerType(header: Header): Type {
    if (header.$ref !== undefined) return referenceTo(header.$ref);
    return header.schema === undefined ? UNKNOWN : typeOf(header.schema);
  }

  function requestBodyType({ $ref: reference, content = {} }: RequestBody): Type {
    if (reference !== undefined) return referenceTo(reference);
    const members = contentMembers(content);
    return object([
      member('content', object(members.length > 0 ? members : [member('*/*', NEVER, { isOptional: true })])),
    ]);
  }

  function responseType({ $ref: reference, content = {}, headers = {} }: Response): Type {
    if (reference !== undefined) return referenceTo(reference);
    const described = Object.entries(headers).map(([name, header]) =>
      member(name, headerType(header), {
        isOptional: header.$ref === undefined && header.required !== true,
        documented: header as Documented,
      }),
    );
    const members = contentMembers(content);
    return object([
      member('headers', object([...described, otherMembers('name', UNKNOWN)])),
      members.length === 0 ? member('content', NEVER, { isOptional: true }) : member('content', object(members)),
    ]);
  }

  function contentMembers(content: Content): readonly Member[] {
    return Object.entries(content).map(([name, mediaType]) =>
      member(name, mediaType.schema === undefined ? UNKNOWN : typeOf(mediaType.schema), {
        documented: mediaType as Documented,
      }),
    );
  }
}

function declare(name: string, members: readonly Member[]): string {
  if (members.length === 0) return `export type ${name} = ${generic('Record', STRING, NEVER).text};`;
  return `export interface ${name} ${object(members).text}`;
}
