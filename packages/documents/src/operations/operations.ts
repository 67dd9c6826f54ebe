import {
  type Contract,
  type DocumentedResponse,
  findCodec,
  isSequential,
  kindOf,
  type Operation,
  type OperationSchemas,
  type RequestMediaType,
  type TextType,
} from '@contract-first/contract';
import { type Declared, NOTHING_DECLARED } from '../document/codecs.ts';
import {
  basePathsOf,
  type Document,
  type Encoding,
  listOperations,
  type MediaTypeObject,
  type SecuritySchemeObject,
} from '../document/document.ts';
import { TooMany } from '../document/expansion-limit.ts';
import { mapDefined, mapValues, nonEmpty, optional } from '../document/map-values.ts';
import { type OperationParts, partsOf } from '../document/operation-parts.ts';
import { parametersShape, planParameter } from '../document/parameters.ts';
import { dereference, type OpenApiDocument } from '../document/reference.ts';
import { findInt64s, type ShapeFinder } from '../document/shapes.ts';
import { byteLimitsOf, describesJson, plainTextTypeOf, textTypeOf } from '../document/text-types.ts';
import { readingAt } from '../document/walk.ts';
import type { Diagnostic } from '../read/diagnostic.ts';
import { toAjvSchema } from './ajv-schema.ts';
import { createDirectedSchemas } from './directed-schemas.ts';
import { type FailureBody, findFailures } from './failures.ts';
import { findDecoded, isPlainText, planFormats } from './operation-formats.ts';
import { readOperationSchemas } from './operation-schemas.ts';

/** The contract without the example request. */
type CompiledOperations = Omit<Contract, 'example'>;

/**
 * Compiles a validated document to the tables and schemas of a contract.
 *
 * @param declared the codecs and formats of the application
 * @returns the tables, the failure bodies that the application renders, and an error for each operation with too many
 *   schemas
 */
export function compileOperations(
  contract: OpenApiDocument,
  { codecs, formats }: Declared = NOTHING_DECLARED,
): {
  readonly compiled: CompiledOperations;
  readonly failureBodies: readonly FailureBody[];
  readonly errors: readonly Diagnostic[];
} {
  const document = contract as Document; // Validated document.
  const int64s = findInt64s(document);
  const decoded = formats.length === 0 ? undefined : findDecoded(document);
  const directed = createDirectedSchemas(document.components?.schemas ?? {});
  const errors: Diagnostic[] = [];
  const operations = listOperations(document).map(({ path, method, object, pathItem, pointer }) =>
    readingAt(pointer, (): Operation => {
      const parts = partsOf(document, { pathItem, object });
      const { parameters, requestBody, responses } = parts;
      const content = mapValues(requestBody?.content ?? {}, (mediaTypeObject, mediaType) =>
        planContent(document, int64s, mediaTypeObject, mediaType, codecs),
      );
      const planned = requestBody && { required: requestBody.required ?? false, content };
      return {
        operationId: object.operationId,
        method,
        path,
        security: (object.security ?? document.security ?? []).map((requirement) =>
          Object.entries(requirement).map(([scheme, scopes]) => ({ scheme, scopes })),
        ),
        parameters: parameters.map((parameter) => planParameter(document, parameter)),
        ...basePathsOf(object.servers ?? pathItem.servers),
        ...optional('parameterInt64s', parametersShape(parameters, int64s)),
        ...optional('requestBody', planned),
        responses: mapValues(responses, (response) => planResponse(document, response, codecs)),
        ...optional('bodyLimitBytes', object['x-body-limit-bytes']),
        ...optional('fileBytes', fileBytesOf(Object.values(content))),
        ...optional('timeLimitMs', object['x-time-limit-ms']),
        schemas: schemasOf(parts, planned, pointer),
        ...optional('formats', decoded && planFormats(parts, codecs, decoded)),
      };
    }),
  );
  const byId = Object.fromEntries(operations.map((operation) => [operation.operationId, operation]));
  const failures = findFailures(document, byId, codecs);
  const { title, version } = document.info as Contract['info']; // Required in a validated document.
  const compiled = {
    info: { title, version },
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
    ...(basePathsOf(document.servers) ?? { basePaths: [''] }),
    int64Shapes: int64s.named,
    ...optional('formats', decoded && { names: formats, shapes: decoded.named }),
    schemas: Object.fromEntries(
      Object.entries(directed.schemas).map(([name, schema]) => [
        `#/components/schemas/${name}`,
        toAjvSchema(schema, codecs.length > 0),
      ]),
    ),
  };
  return { compiled, failureBodies: failures.bodies, errors };

  /** Returns the schemas of an operation. Reports an error and returns empty schemas if there are too many. */
  function schemasOf(parts: OperationParts, requestBody: Operation['requestBody'], pointer: string): OperationSchemas {
    try {
      return readOperationSchemas(document, parts, requestBody, directed, codecs);
    } catch (error) {
      if (!(error instanceof TooMany)) throw error;
      errors.push({ pointer, message: `cannot be validated: ${error.message}` });
      return { parameters: {}, bodies: {}, responses: {} };
    }
  }
}

/** Marks the form fields that are JSON. */
function withJsonFields(form: TextType, encoding: Readonly<Record<string, Encoding>>): TextType {
  const names = Object.keys(form.properties ?? {}).filter((name) => {
    const types = Object.hasOwn(encoding, name) ? encoding[name]?.contentType?.split(',') : undefined;
    return types?.every((type) => kindOf(type.trim()) === 'json');
  });
  if (names.length === 0) return form;
  const asJson = (type: TextType): TextType =>
    type.items === undefined ? { ...type, json: true } : { ...type, items: { ...type.items, json: true } };
  const properties = mapValues(form.properties ?? {}, (type, name) => (names.includes(name) ? asJson(type) : type));
  return { ...form, properties };
}

/** Returns the media types of parts by field; `undefined` if there are none. */
function partTypesOf(encoding: Readonly<Record<string, Encoding>>): RequestMediaType['partTypes'] {
  return nonEmpty(mapDefined(encoding, ({ contentType }) => contentType?.split(',').map((type) => type.trim())));
}

function isJson(content: object): boolean {
  return kindOf(Object.keys(content)[0] ?? '') === 'json';
}

function planContent(
  document: Document,
  int64s: ShapeFinder,
  object: MediaTypeObject,
  mediaType: string,
  codecs: readonly string[],
): RequestMediaType {
  const { schema, encoding = {} } = object;
  const codec = findCodec(mediaType, codecs);
  const kind = kindOf(mediaType);
  const isForm = kind === 'form' || kind === 'multipart';
  const form = isForm ? withJsonFields(textTypeOf(document, schema, kind === 'multipart'), encoding) : undefined;
  return {
    ...(isSequential(mediaType, object) && { sequential: true }),
    ...optional('codec', codec),
    ...optional('int64s', int64s.shapeOf(schema)),
    ...optional('form', form),
    ...(describesJson(document, mediaType, object) && { json: true }),
    ...optional('text', scalarTextOf(document, object, mediaType, codecs)),
    ...optional('partTypes', kind === 'multipart' ? partTypesOf(encoding) : undefined),
    ...optional('bytes', kind === 'binary' && codec === undefined ? byteLimitsOf(document, schema) : undefined),
  };
}

/** Returns the values of a plain text; `undefined` for texts that are strings, and for other bodies. */
function scalarTextOf(
  document: Document,
  object: MediaTypeObject,
  mediaType: string,
  codecs: readonly string[],
): TextType | undefined {
  const type = isPlainText(mediaType, object, codecs) ? plainTextTypeOf(document, object.schema) : undefined;
  return type === 'string' ? undefined : type;
}

/** Returns the maximum size of the files of a body in bytes; `undefined` if their schemas set no limit. */
function fileBytesOf(contents: readonly RequestMediaType[]): number | undefined {
  const sizes = contents.flatMap(({ bytes, form }) => {
    const files = Object.values(form?.properties ?? {}).filter(({ file, items }) => file ?? items?.file);
    const ofFiles = files.reduce((sum, file) => sum + (file.bytes?.max ?? NaN), files.length > 0 ? 0 : NaN);
    return [bytes?.max ?? NaN, ofFiles];
  });
  const known = sizes.filter((size) => !Number.isNaN(size));
  return known.length === 0 ? undefined : Math.max(...known);
}

function planResponse(
  document: Document,
  { content, headers }: OperationParts['responses'][string],
  codecs: readonly string[],
): DocumentedResponse {
  const sequentialTypes = Object.keys(content).filter((mediaType) => isSequential(mediaType, content[mediaType] ?? {}));
  // The body determines Content-Type.
  const required = Object.entries(headers).filter(
    ([name, header]) => header.required === true && name !== 'content-type',
  );
  const formats = mapDefined(headers, ({ content: ofHeader, explode }) =>
    ofHeader !== undefined && isJson(ofHeader) ? 'json' : explode === true ? 'exploded' : undefined,
  );
  const coded = mapDefined(content, (_object, mediaType) => findCodec(mediaType, codecs));
  const sizes = mapDefined(content, ({ schema }, mediaType) =>
    kindOf(mediaType) === 'binary' && coded[mediaType] === undefined ? byteLimitsOf(document, schema) : undefined,
  );
  const scalarTexts = Object.keys(content).filter(
    (mediaType) => scalarTextOf(document, content[mediaType] ?? {}, mediaType, codecs) !== undefined,
  );
  return {
    mediaTypes: Object.keys(content),
    ...optional('sequentialTypes', nonEmpty(sequentialTypes)),
    ...optional('scalarTexts', nonEmpty(scalarTexts)),
    ...optional('codecs', nonEmpty(coded)),
    ...optional('bytes', nonEmpty(sizes)),
    requiredHeaders: required.map(([name]) => name),
    ...optional('headerFormats', nonEmpty(formats)),
  };
}
