import {
  findCodec,
  isSequential,
  kindOf,
  type OperationFormats,
  type Shape,
  type Shapes,
} from '@contract-first/contract';
import { isDecoded } from '../document/decoded-formats.ts';
import type { Content, MediaTypeObject } from '../document/document.ts';
import { sentKindOf } from './failures.ts';
import type { OperationParts } from '../document/operation-parts.ts';
import { mapDefined, mapValues, optional } from '../document/records.ts';
import { parametersShape, valueSchemaOf } from '../document/parameters.ts';
import type { OpenApiDocument } from '../document/reference.ts';
import { findShapes, type ShapeFinder } from '../document/shapes.ts';

/** A schema of a part, with a name for messages. */
type Root = readonly [name: string, schema: unknown];

/** Finds the strings that the application decodes. */
export function findDecoded(document: OpenApiDocument): ShapeFinder {
  return findShapes(document, (schema): Shape | undefined =>
    isDecoded(schema) ? { format: String(schema['format']) } : undefined,
  );
}

/** Returns the strings of an operation that the application decodes; `undefined` when there are none. */
export function planFormats(
  { parameters, requestBody, responses }: OperationParts,
  codecs: readonly string[],
  finder: ShapeFinder,
): OperationFormats | undefined {
  const shapesOf = (content: Content): Shapes => mapDefined(content, ({ schema }) => finder.shapeOf(schema));
  const ofParameters = parametersShape(parameters, finder, valueSchemaOf);
  const bodies = shapesOf(receivedContent(requestBody, codecs));
  const ofResponses = mapDefined(responses, ({ content, headers: objects }) => {
    const sent = shapesOf(sentContent(content, codecs));
    const headers = finder.shapeOf({ properties: mapValues(objects, valueSchemaOf) });
    const isEmpty = headers === undefined && Object.keys(sent).length === 0;
    return isEmpty ? undefined : { bodies: sent, ...optional('headers', headers) };
  });
  const isEmpty = ofParameters === undefined && Object.keys({ ...bodies, ...ofResponses }).length === 0;
  return isEmpty ? undefined : { ...optional('parameters', ofParameters), bodies, responses: ofResponses };
}

/** Returns all schemas of an operation whose values can be decoded. */
export function valueSchemas(
  { parameters, requestBody, responses }: OperationParts,
  codecs: readonly string[],
): readonly Root[] {
  return [
    ...parameters.map((parameter): Root => [parameter.name, valueSchemaOf(parameter)]),
    ...Object.values(receivedContent(requestBody, codecs)).map(({ schema }): Root => ['the body', schema]),
    ...Object.entries(responses).flatMap(([status, { content, headers }]) => [
      ...Object.values(sentContent(content, codecs)).map(({ schema }): Root => [`the body of ${status}`, schema]),
      ...Object.entries(headers).map(([name, header]): Root => [
        `the header ${name} of ${status}`,
        valueSchemaOf(header),
      ]),
    ]),
  ];
}

/** Whether a body is a string that is not parsed. */
export function isPlainText(mediaType: string, object: MediaTypeObject, codecs: readonly string[]): boolean {
  const isText = kindOf(mediaType) === 'text' && !isSequential(mediaType, object);
  return isText && findCodec(mediaType, codecs) === undefined;
}

/** Returns the content of a request whose values are parsed. */
function receivedContent(body: OperationParts['requestBody'], codecs: readonly string[]): Content {
  return parsedContent(body?.content ?? {}, codecs, (name) => ['json', 'form', 'multipart'].includes(kindOf(name)));
}

/** Returns the content that handlers reply with as values. */
function sentContent(content: Content, codecs: readonly string[]): Content {
  return parsedContent(content, codecs, (mediaType) => sentKindOf(mediaType) === 'json');
}

/** Returns sequences, bodies with a codec, and others that the engine parses. */
function parsedContent(content: Content, codecs: readonly string[], isParsed: (name: string) => boolean): Content {
  return mapDefined(content, (object, name) =>
    isSequential(name, object) || findCodec(name, codecs) !== undefined || isParsed(name) ? object : undefined,
  );
}
