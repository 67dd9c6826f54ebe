import {
  findCodec,
  IN_PLACE_LISTS,
  isSequential,
  kindOf,
  type Operation,
  type OperationSchemas,
  type TextType,
} from '@contract-first/contract';
import { toAjvSchema } from './ajv-schema.ts';
import { TooMany } from '../document/expansion-limit.ts';
import type { DirectedSchemas, Direction } from './directed-schemas.ts';
import type { Document, MediaTypeObject, ParameterObject } from '../document/document.ts';
import type { OperationParts } from '../document/operation-parts.ts';
import { valueSchemaOf } from '../document/parameters.ts';
import { mapDefined, mapValues, optional } from '../document/map-values.ts';
import { dereference, describeProperties, PROTOTYPE_PATTERN, type SchemaObject } from '../document/reference.ts';
import { plainTextTypeOf } from '../document/text-types.ts';

type Node = Readonly<Record<string, unknown>>;

/** The member of `RequestParts` for each parameter location. */
const LOCATIONS = { query: 'query', header: 'headers', path: 'params', cookie: 'cookies' };

/**
 * Returns the schemas of an operation. They differ from the document's schemas:
 *
 * - responses contain only bodies that may be JSON or text, or have a codec;
 * - files in forms have no schema, since only placeholders are validated;
 * - all schemas are simplified ({@link toAjvSchema}).
 *
 * @param planned defines which form fields are files
 * @param directed derives the schemas, and collects the targets of references
 * @param codecs the media types with codecs
 */
export function readOperationSchemas(
  document: Document,
  { parameters, requestBody, responses }: OperationParts,
  planned: Operation['requestBody'],
  directed: DirectedSchemas,
  codecs: readonly string[],
): OperationSchemas {
  const resolveRef = (node: unknown): Node => dereference(document, node) as Node; // Validated document.
  return {
    parameters: readParameters(),
    bodies: mapDefined(requestBody?.content ?? {}, readRequestBody),
    responses: mapValues(responses, readResponse),
  };

  function readParameters(): Node {
    const locations = Object.entries(LOCATIONS).map(([location, member]) => {
      const own = parameters.filter((parameter) => locationOf(parameter) === location);
      const properties = Object.fromEntries(own.map((parameter) => [nameOf(parameter), readParameter(parameter)]));
      const required = own.filter((parameter) => parameter.required === true).map(nameOf);
      const members = { type: 'object', ...describeProperties(properties), ...(required.length > 0 && { required }) };
      return [member, own.length === 0 ? undefined : members] as const;
    });
    return { properties: Object.fromEntries(locations.filter(([, members]) => members !== undefined)) };
  }

  function readParameter(parameter: ParameterObject): unknown {
    return toAjvSchema(directed.parameter(valueSchemaOf(parameter) ?? {}, parameter.required === true));
  }

  function readRequestBody(object: MediaTypeObject, mediaType: string): unknown {
    if (findCodec(mediaType, codecs) !== undefined) return decodedSchema(object, 'received');
    const { form, json } = planned?.content[mediaType] ?? {};
    // A schema cannot describe bytes.
    if (kindOf(mediaType) === 'binary' && !isSequential(mediaType, object) && json !== true) return {};
    const { schema = {} } = object;
    const own = kindOf(mediaType) === 'multipart' && form ? withFiles(schema, form, {}, resolveRef) : schema;
    return bodySchema(own, mediaType, object, 'received');
  }

  function readResponse({
    content,
    headers,
  }: OperationParts['responses'][string]): OperationSchemas['responses'][string] {
    const bodies = mapDefined(content, (object, mediaType) => {
      if (findCodec(mediaType, codecs) !== undefined) return decodedSchema(object, 'response');
      const isRead = ['json', 'text'].includes(kindOf(mediaType)) || mediaType.includes('*');
      if (!isRead && !isSequential(mediaType, object)) return undefined;
      return bodySchema(object.schema ?? {}, mediaType, object, 'response');
    });
    const entries = Object.entries(headers).filter(([name]) => name !== 'content-type');
    if (entries.length === 0) return { bodies };
    const properties = mapValues(Object.fromEntries(entries), (header) =>
      toAjvSchema(directed.of(valueSchemaOf(header) ?? {}, 'response')),
    );
    return { bodies, headers: { type: 'object', ...describeProperties(properties) } };
  }

  function decodedSchema({ schema = {} }: MediaTypeObject, direction: Direction): unknown {
    return toAjvSchema(directed.of(schema, direction), true);
  }

  function bodySchema(schema: unknown, mediaType: string, object: MediaTypeObject, direction: Direction): unknown {
    const isText = kindOf(mediaType) === 'text' && !isSequential(mediaType, object);
    const isUnread = isText && plainTextTypeOf(document, schema) === undefined;
    return isUnread ? {} : toAjvSchema(directed.of(schema, direction));
  }
}

const MAX_FORM_SCHEMAS = 1_000;

/**
 * Replaces the schemas of files in a form. References to forms become copies.
 *
 * @param form defines which fields are files
 * @param file the replacement schema
 * @param resolve follows the `$ref` of a schema
 * @param copied counts the copied schemas of `allOf`, `anyOf` and `oneOf`
 * @throws {TooMany} if too many schemas would be copied
 */
export function withFiles(
  node: unknown,
  form: TextType,
  file: Node,
  resolve: (node: unknown) => unknown,
  copied = { count: 0 },
): unknown {
  copied.count += 1;
  if (copied.count > MAX_FORM_SCHEMAS)
    throw new TooMany(`a form combines more than ${String(MAX_FORM_SCHEMAS)} schemas`);
  const { properties, patternProperties, additionalProperties, ...schema } = resolve(node) as SchemaObject;
  const field = (member: unknown, type?: TextType): unknown => {
    if (type?.file === true) return file;
    if (type?.items?.file !== true) return member;
    const { minItems, maxItems } = resolve(member) as SchemaObject;
    return { type: 'array', items: file, ...optional('minItems', minItems), ...optional('maxItems', maxItems) };
  };
  const additional = field(additionalProperties, form.additional);
  const parts = IN_PLACE_LISTS.filter((keyword) => keyword in schema);
  return {
    ...schema,
    properties: mapValues(properties ?? {}, (member, name) => field(member, form.properties?.[name])),
    ...(patternProperties && {
      patternProperties: mapValues(patternProperties, (member, pattern) =>
        pattern === PROTOTYPE_PATTERN ? field(member, form.properties?.['__proto__']) : member,
      ),
    }),
    ...(additional !== undefined && { additionalProperties: additional }),
    ...Object.fromEntries(
      parts.map((keyword) => [
        keyword,
        (schema[keyword] as readonly unknown[]).map((part) => withFiles(part, form, file, resolve, copied)),
      ]),
    ),
  };
}

/** Returns the location in which a parameter is validated. */
function locationOf({ in: location }: Node): unknown {
  return location === 'querystring' ? 'query' : location;
}

/** Returns the name under which a parameter is validated. */
function nameOf({ name, in: location }: Node): string {
  return location === 'header' ? String(name).toLowerCase() : String(name);
}
