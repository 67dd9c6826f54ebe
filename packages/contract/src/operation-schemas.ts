import { findOperationObject, mergeParameters, resolveComponent, type ContractDocument } from './contract-document.ts';
import { toAjvSchema } from './ajv-schema.ts';
import type { DirectedSchemas, Direction } from './directed-schemas.ts';
import { IN_PLACE_LISTS } from './keywords.ts';
import { isSequential, kindOf } from './media-type.ts';
import type { Operation, TextType } from './operation.ts';

type Node = Readonly<Record<string, unknown>>;

/** The schemas of an operation: one for each part of a request or a response, for its direction. */
export type OperationSchemas = {
  /** The schema of an object with the parameters by location, as `RequestParts` has them. */
  readonly parameters: Node;
  /** By documented media type. */
  readonly bodies: Node;
  /** By key of `responses`; the headers are an object, by name in lower case. */
  readonly responses: Readonly<Record<string, { readonly bodies: Node; readonly headers: Node | undefined }>>;
};

/** The member of `RequestParts` for each location of parameters. */
const LOCATIONS = { query: 'query', header: 'headers', path: 'params', cookie: 'cookies' };

/**
 * Reads the schemas of an operation. They differ from those of the document:
 *
 * - `$ref`s are resolved, except those to schemas;
 * - responses have only the bodies that may be JSON or text;
 * - files of forms have no schema, since only their placeholders are validated;
 * - schemas are simplified ({@link toAjvSchema}).
 *
 * @param directed derives the schemas, and collects the targets of the operation's references
 * @returns deep copies, which may be modified
 */
export function readOperationSchemas(
  document: ContractDocument,
  operation: Operation,
  directed: DirectedSchemas,
): OperationSchemas {
  const resolveRef = (node: unknown): Node => resolveComponent(document, node);
  const {
    parameters = [],
    requestBody = {},
    responses = {},
  } = findOperationObject(document, operation) as {
    parameters?: readonly unknown[];
    requestBody?: unknown;
    responses?: Node;
  };
  const shared = (document.paths?.[operation.path]?.['parameters'] ?? []) as readonly unknown[];
  return {
    parameters: readParameters(mergeParameters(shared.map(resolveRef), parameters.map(resolveRef))),
    bodies: readRequestBodies(resolveRef(requestBody)),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, readResponse(resolveRef(response))]),
    ),
  };

  function readParameters(parameters: readonly Node[]): Node {
    const properties = Object.entries(LOCATIONS).map(([location, member]) => {
      const own = parameters.filter((parameter) => locationOf(parameter) === location);
      const schemas = own.map((parameter) => [nameOf(parameter), readParameter(parameter)] as const);
      const required = own.filter((parameter) => parameter['required'] === true).map(nameOf);
      const members = { type: 'object', properties: Object.fromEntries(schemas) };
      return [member, own.length === 0 ? {} : { ...members, ...(required.length > 0 && { required }) }] as const;
    });
    return { properties: Object.fromEntries(properties) };
  }

  function readParameter({ in: location, required, ...parameter }: Node): unknown {
    return toAjvSchema(directed.parameter(schemaOf(parameter, location === 'querystring'), required === true));
  }

  function readRequestBodies({ content = {} }: Node): Node {
    return mapContent(content, (mediaType, object) => {
      // A schema cannot describe bytes.
      if (kindOf(mediaType) === 'binary' && !isSequential(mediaType, object)) return {};
      const { form } = operation.requestBody?.content[mediaType] ?? {};
      const { schema = {} } = object;
      const own = kindOf(mediaType) === 'multipart' && form ? withFiles(schema, form, {}, resolveRef) : schema;
      return bodySchema(own, mediaType, object, 'received');
    });
  }

  function readResponse({ content = {}, headers = {} }: Node): OperationSchemas['responses'][string] {
    const bodies = mapContent(content, (mediaType, object) => {
      const isRead = ['json', 'text'].includes(kindOf(mediaType)) || mediaType.includes('*');
      if (!isRead && !isSequential(mediaType, object)) return undefined;
      return bodySchema(object['schema'] ?? {}, mediaType, object, 'response');
    });
    const properties = Object.entries(headers as Node)
      .filter(([name]) => name.toLowerCase() !== 'content-type')
      .map(([name, header]) => {
        const schema = directed.of(schemaOf(resolveRef(header)), 'response');
        return [name.toLowerCase(), toAjvSchema(schema)] as const;
      });
    const described = properties.length === 0 ? undefined : Object.fromEntries(properties);
    return { bodies, headers: described && { type: 'object', properties: described } };
  }

  function bodySchema(schema: unknown, mediaType: string, object: Node, direction: Direction): unknown {
    const isText = kindOf(mediaType) === 'text' && !isSequential(mediaType, object);
    // A text has no value other than a string.
    return isText && !allowsString(schema) ? {} : toAjvSchema(directed.of(schema, direction));
  }

  function allowsString(node: unknown): boolean {
    const { type = 'string', allOf = [], anyOf, oneOf } = resolveRef(node) as Readonly<Record<string, unknown[]>>;
    const alternatives = anyOf ?? oneOf;
    if (![type].flat().includes('string') || !allOf.every(allowsString)) return false;
    return alternatives === undefined || alternatives.some(allowsString);
  }
}

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
  const parts = IN_PLACE_LISTS.filter((keyword) => keyword in schema);
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

/** Returns the schema of the value of a parameter or a header. A schema cannot describe the text of other media types. */
function schemaOf({ schema, content }: Node, isWholeQuery = false): unknown {
  const [entry] = Object.entries((content ?? {}) as Readonly<Record<string, Node>>);
  const kind = entry && kindOf(entry[0]);
  const isParsed = kind === 'json' || (kind === 'form' && isWholeQuery);
  return schema ?? (isParsed ? entry?.[1]['schema'] : undefined) ?? {};
}

/** Returns where a parameter is validated. */
function locationOf({ in: location }: Node): unknown {
  return location === 'querystring' ? 'query' : location;
}

/** Returns the name under which a parameter is validated. */
function nameOf({ name, in: location }: Node): string {
  return location === 'header' ? String(name).toLowerCase() : String(name);
}

/** Maps the media types of a `content`, without those whose result is undefined. */
function mapContent(content: unknown, map: (mediaType: string, object: Node) => unknown): Node {
  const entries = Object.entries(content as Readonly<Record<string, Node>>);
  const schemas = entries.map(([mediaType, object]) => [mediaType, map(mediaType, object)] as const);
  return Object.fromEntries(schemas.filter(([, schema]) => schema !== undefined));
}
