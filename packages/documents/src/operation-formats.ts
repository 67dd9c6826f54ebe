import {
  findCodec,
  isSequential,
  kindOf,
  type OperationFormats,
  type Shape,
  type Shapes,
} from '@contract-first/contract';
import { isDecoded } from './decoded-formats.ts';
import type { Content, Document, MediaTypeObject, ParameterObject, ResponseObject } from './document.ts';
import { sentKindOf } from './failures.ts';
import { optional } from './optional.ts';
import { parametersShape, valueSchemaOf } from './parameters.ts';
import { dereference, type OpenApiDocument } from './reference.ts';
import { findShapes, type ShapeFinder } from './shapes.ts';

/** The parts of an operation that have values, without references. */
export type Parts = {
  readonly parameters: readonly ParameterObject[];
  readonly content: Content;
  readonly responses: Readonly<Record<string, ResponseObject>>;
  /** The media types that the application has codecs for. */
  readonly codecs: readonly string[];
};

/** A schema of a part, with a name for messages. */
type Root = readonly [name: string, schema: unknown];

/** Finds the strings that the application decodes. */
export function findDecoded(document: OpenApiDocument): ShapeFinder {
  return findShapes(document, (schema): Shape | undefined =>
    isDecoded(schema) ? { format: String(schema['format']) } : undefined,
  );
}

/** Returns the strings of an operation that the application decodes; `undefined` when there are none. */
export function planFormats(document: Document, parts: Parts, finder: ShapeFinder): OperationFormats | undefined {
  const { parameters, responses } = parts;
  const shapesOf = (roots: readonly Root[]): Shapes =>
    definedOf(roots.map(([mediaType, schema]) => [mediaType, finder.shapeOf(schema)]));
  const ofParameters = parametersShape(parameters, finder, valueSchemaOf);
  const bodies = shapesOf(receivedContent(parts));
  const ofResponses = definedOf(
    Object.entries(responses).map(([key, response]) => {
      const sent = shapesOf(sentContent(response, parts));
      const headers = finder.shapeOf({ properties: Object.fromEntries(headerSchemas(document, response)) });
      const isEmpty = headers === undefined && Object.keys(sent).length === 0;
      return [key, isEmpty ? undefined : { bodies: sent, ...optional('headers', headers) }];
    }),
  );
  const isEmpty = ofParameters === undefined && Object.keys({ ...bodies, ...ofResponses }).length === 0;
  return isEmpty ? undefined : { ...optional('parameters', ofParameters), bodies, responses: ofResponses };
}

/** Returns all schemas of an operation whose values can be decoded. */
export function valueSchemas(document: Document, parts: Parts): readonly Root[] {
  const { parameters, responses } = parts;
  return [
    ...parameters.map((parameter): Root => [parameter.name, valueSchemaOf(parameter)]),
    ...receivedContent(parts).map(([, schema]): Root => ['the body', schema]),
    ...Object.entries(responses).flatMap(([status, response]) => [
      ...sentContent(response, parts).map(([, schema]): Root => [`the body of ${status}`, schema]),
      ...headerSchemas(document, response).map(([name, schema]): Root => [`the header ${name} of ${status}`, schema]),
    ]),
  ];
}

/** Whether a body is a string that is not parsed. */
export function isPlainText(mediaType: string, object: MediaTypeObject, codecs: readonly string[]): boolean {
  const isText = kindOf(mediaType) === 'text' && !isSequential(mediaType, object);
  return isText && findCodec(mediaType, codecs) === undefined;
}

/** Returns the schemas of a request body that is parsed, by media type. */
function receivedContent({ content, codecs }: Parts): readonly Root[] {
  return parsedContent(content, codecs, (mediaType) => ['json', 'form', 'multipart'].includes(kindOf(mediaType)));
}

/** Returns the schemas of the bodies that a handler replies with as values, by media type. */
function sentContent({ content = {} }: ResponseObject, { codecs }: Parts): readonly Root[] {
  return parsedContent(content, codecs, (mediaType) => sentKindOf(mediaType) === 'json');
}

/** Returns the schemas of sequences, of bodies with a codec, and of others that the engine parses. */
function parsedContent(
  content: Content,
  codecs: readonly string[],
  isParsed: (mediaType: string) => boolean,
): readonly Root[] {
  return Object.entries(content).flatMap(([mediaType, object]) => {
    const isValue =
      isSequential(mediaType, object) || findCodec(mediaType, codecs) !== undefined || isParsed(mediaType);
    return isValue ? [[mediaType, object.schema] as const] : [];
  });
}

/** Returns the schemas of the headers of a response, by name in lower case. */
function headerSchemas(document: Document, { headers = {} }: ResponseObject): readonly Root[] {
  return Object.entries(headers).map(([name, node]) => [
    name.toLowerCase(),
    valueSchemaOf(dereference(document, node) as ParameterObject), // The linter has checked this shape.
  ]);
}

function definedOf<Value>(
  entries: readonly (readonly [name: string, value: Value | undefined])[],
): Readonly<Record<string, Value>> {
  return Object.fromEntries(entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])));
}
