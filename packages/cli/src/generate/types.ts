import {
  dereference,
  schemaOf,
  unusedName,
  type Content,
  type Document,
  type ParameterObject,
  type PathItem,
} from '@contract-first/documents';
import { createSchemaTypes, WITH_REQUIRED, type SchemaTypes } from './schema-type.ts';
import {
  generic,
  member,
  NEVER,
  object,
  otherMembers,
  STRING,
  typeNamed,
  UNKNOWN,
  type Documented,
  type Member,
  type Type,
} from './type-text.ts';
import { toTypedDocument } from './typed-document.ts';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
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
};
type Components = Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>>;

/**
 * Renders the types of a document. `operations` has the requests as handlers receive them, `paths` as clients send them,
 * and both have the same responses.
 */
export function renderTypes(original: Document): string {
  const document = toTypedDocument(original);
  const { schemas = {} } = document.components ?? {};
  const plain = createSchemaTypes(document, new Map());
  const references = new Map(
    Object.entries(schemas).map(([name, schema]) => [name, new Set(plain.typeOf(schema).references)]),
  );
  const aliases = new Map<string, string>();
  for (const name of references.keys())
    if (reaches(references, name)) aliases.set(name, unusedAlias(name, [...aliases.values()]));
  const aliased = createSchemaTypes(document, aliases);
  const recursive = [...aliases].map(([name, alias]) => `type ${alias} = ${aliased.typeOf(schemas[name]).text};`);

  const declarations = createDeclarations(document, plain, aliases);
  const text = [...declarations, ...recursive].join('\n');
  return `${text}\n${text.includes('WithRequired<') ? `${WITH_REQUIRED}\n` : ''}`;
}

/** Renders the declarations of a document. */
function createDeclarations(
  document: Document,
  { typeOf, referenceTo }: SchemaTypes,
  aliases: ReadonlyMap<string, string>,
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
      schemas(schema: unknown, name) {
        const alias = aliases.get(name);
        return alias === undefined ? typeOf(schema) : typeNamed(alias);
      },
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
    const methods = METHODS.map((method) => {
      const operation = (item as Readonly<Record<string, unknown>>)[method] as Operation | undefined;
      if (operation === undefined) return member(method, NEVER, { isOptional: true });
      return member(method, operationType(operation, shared), { documented: operation });
    });
    return object([member('parameters', parametersType(shared)), ...methods]);
  }

  function operationType(
    { operationId, parameters = [], requestBody, responses = {} }: Operation,
    shared: readonly unknown[],
  ): Type {
    const described = Object.entries(responses).map(([status, response]) =>
      member(status, responseType(response), { documented: response }),
    );
    const type = object([
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

/** Whether a name reaches itself. */
function reaches(references: ReadonlyMap<string, ReadonlySet<string>>, name: string): boolean {
  const reached = new Set<string>();
  const next = [...(references.get(name) ?? [])];
  for (let current = next.pop(); current !== undefined; current = next.pop()) {
    if (reached.has(current)) continue;
    reached.add(current);
    next.push(...(references.get(current) ?? []));
  }
  return reached.has(name);
}

function unusedAlias(name: string, taken: readonly string[]): string {
  return unusedName(`Recursive${name.replaceAll(/\W/g, '_')}`, (other) => taken.includes(other));
}
