import { kindOf } from '@contract-first/contract';
import { dereference, type ResponseObject } from '@contract-first/documents';
import type { JsonSchema, SchemaDocument, JsonSchemaObject } from '../values/json-schema.ts';
import { mergeAllOf, scalarTypesOf } from '../values/schema-merge.ts';
import type { ApiOperation, ApiResponse, BodyContent, FormPart, ResponseLink } from './api-operation.ts';
import { sentMediaType } from './body-bytes.ts';
import { examplesOf } from './documented-examples.ts';

/** A media type object of a validated document. */
export type DocumentedContent = Parameters<typeof examplesOf>[1] & {
  readonly schema?: JsonSchema;
  readonly encoding?: Readonly<Record<string, { readonly contentType?: string }>>;
};
type Content = Readonly<Record<string, DocumentedContent>>;
type LinkedResponse = ResponseObject & { readonly links?: Readonly<Record<string, unknown>> };

/** Reads the request body of an operation, if any. */
export function readRequestBody(schemas: SchemaDocument, node: unknown): ApiOperation['requestBody'] {
  if (node === undefined) return undefined;
  const { required = false, content = {} } = node as { readonly required?: boolean; readonly content?: Content };
  return { required, contents: readContents(schemas, content) };
}

/** Reads the responses of an operation, by status. */
export function readResponses(
  schemas: SchemaDocument,
  responses: Readonly<Record<string, unknown>>,
): Record<string, ApiResponse> {
  const { document } = schemas;
  const entries = Object.entries(responses).map(([status, node]): [string, ApiResponse] => {
    const { headers: objects = {}, content = {}, links = {} } = dereference(document, node) as LinkedResponse;
    const headers = Object.entries(objects).map(([name, header]) => {
      const { required = false, schema } = dereference(document, header) as { required?: boolean; schema?: JsonSchema };
      return { name: name.toLowerCase(), required, schema };
    });
    // A header object named Content-Type is ignored (OpenAPI 3.1, 4.8.17.1).
    const own = headers.filter(({ name }) => name !== 'content-type');
    const linked = Object.values(links).map((link) => dereference(document, link) as ResponseLink);
    return [status, { headers: own, contents: readContents(schemas, content as Content), links: linked }];
  });
  return Object.fromEntries(entries);
}

function readContents(schemas: SchemaDocument, content: Content): BodyContent[] {
  // The values of parameters may be case-sensitive.
  const mediaTypes = Object.keys(content).map((name) => name.replace(/^[^;]*/, (essence) => essence.toLowerCase()));
  return Object.values(content).map((object, index) => {
    const { schema, encoding = {} } = object;
    const mediaType = mediaTypes[index] ?? '';
    const isText = ['text', 'binary'].includes(kindOf(mediaType));
    const isStructured = isText && schema !== undefined && scalarTypesOf(schemas, schema).length === 0;
    const isJudged = !isStructured || kindOf(mediaType) === 'binary';
    const isForm = kindOf(mediaType) === 'form' || kindOf(mediaType) === 'multipart';
    const parts = isForm && schema !== undefined ? readParts(schemas, schema, encoding) : [];
    const examples = examplesOf(schemas, object, schema);
    return {
      mediaType,
      contentType: sentMediaType(mediaType, mediaTypes),
      isStructured,
      schema: isJudged ? schema : undefined,
      parts: new Map(parts),
      ...examples,
    };
  });
}

/** Reads the parts of a form. */
function readParts(
  schemas: SchemaDocument,
  schema: JsonSchema,
  encoding: NonNullable<DocumentedContent['encoding']>,
): [string, FormPart][] {
  const alternatives = propertiesOf(schemas, schema);
  const names = new Set(alternatives.flatMap((properties) => Object.keys(properties)));
  return [...names].map((name) => {
    const declared = alternatives.map((properties) => properties[name]);
    const types = declared.map((property = true) => keywordsOf(schemas, property)['type'] ?? 'string');
    const property = declared.find((schema) => schema !== undefined) ?? true;
    const isAmbiguous = new Set(types.map(String)).size > 1;
    const isStructured = declared.some((schema) => schema !== undefined && mayBeStructured(schemas, schema));
    const isText = declared.every((schema) => schema === undefined || keywordsOf(schemas, schema)['type'] === 'string');
    return [name, { ...readPart(schemas, property, encoding[name]?.contentType), isStructured, isAmbiguous, isText }];
  });
}

/** Returns whether a schema explicitly allows a list or an object. */
function mayBeStructured(schemas: SchemaDocument, schema: JsonSchema): boolean {
  const keywords = keywordsOf(schemas, schema);
  const { type = [], anyOf = [], oneOf = [] } = keywords;
  if (['items', 'prefixItems', 'properties', 'additionalProperties'].some((keyword) => keyword in keywords))
    return true;
  if (([type].flat() as string[]).some((name) => name === 'array' || name === 'object')) return true;
  // Validated document.
  return [anyOf, oneOf].some((list) => (list as readonly JsonSchema[]).some((part) => mayBeStructured(schemas, part)));
}

/** Lists the properties of each alternative of a schema. */
function propertiesOf(schemas: SchemaDocument, schema: JsonSchema): readonly Readonly<Record<string, JsonSchema>>[] {
  const { properties, anyOf = [], oneOf = [] } = keywordsOf(schemas, schema);
  // Validated document.
  const own = properties as Readonly<Record<string, JsonSchema>> | undefined;
  const parts = [...(anyOf as readonly JsonSchema[]), ...(oneOf as readonly JsonSchema[])];
  if (parts.length === 0) return [own ?? {}];
  return parts.flatMap((part) => propertiesOf(schemas, part).map((properties) => ({ ...properties, ...own })));
}

/** Reads a part of a form. A list becomes several parts. */
function readPart(
  schemas: SchemaDocument,
  schema: JsonSchema,
  documentedType: string | undefined,
): Pick<FormPart, 'contentType' | 'isFile'> {
  const { items, ...own } = keywordsOf(schemas, schema);
  const { format, contentMediaType, contentEncoding } =
    items === undefined ? own : keywordsOf(schemas, items as JsonSchema);
  const fileType = typeof contentMediaType === 'string' ? contentMediaType : 'application/octet-stream';
  const isFile = format === 'binary' || (contentMediaType !== undefined && contentEncoding === undefined);
  const [first] = documentedType?.split(/ *, */) ?? [];
  return { contentType: first === undefined ? (isFile ? fileType : undefined) : sentMediaType(first, [first]), isFile };
}

/** Returns the keywords of a schema, including the keywords of its references. */
export function keywordsOf(schemas: SchemaDocument, schema: JsonSchema): JsonSchemaObject {
  const flat = mergeAllOf(schemas, schema);
  return typeof flat === 'boolean' ? {} : flat;
}
