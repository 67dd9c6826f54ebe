import {
  findCodec,
  IN_PLACE_LISTS,
  isSequential,
  kindOf,
  type OperationFormats,
  type Shape,
  type Shapes,
} from '@contract-first/contract';
import { type Declared, DECODED, isDecoded } from '../document/codecs.ts';
import { type Content, type Document, listOperations, type MediaTypeObject } from '../document/document.ts';
import { type OperationParts, partsOf } from '../document/operation-parts.ts';
import { parametersShape, valueSchemaOf } from '../document/parameters.ts';
import { mapDefined, mapValues, optional } from '../document/map-values.ts';
import { dereference, type OpenApiDocument } from '../document/reference.ts';
import { findShapes, type ShapeFinder } from '../document/shapes.ts';
import { walkDocument } from '../document/walk.ts';
import { findConflicts, type LocatedValues } from '../normalize/conflicts.ts';
import type { Diagnostic } from '../read/diagnostic.ts';
import { sentKindOf } from './failures.ts';

/** A root schema with its name for messages. */
type Root = readonly [name: string, schema: unknown];

/** Finds the locations of the strings that the application decodes. */
export function findDecoded(document: OpenApiDocument): ShapeFinder {
  return findShapes(
    document,
    (schema): Shape | undefined => (isDecoded(schema) ? { format: String(schema.format) } : undefined),
    (key) => key === DECODED,
  );
}

/** Returns the shapes of the decoded strings of an operation; `undefined` if there are none. */
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

/** Returns all schemas of an operation whose strings can be decoded. */
function valueSchemas(
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

/** Returns whether a body is unparsed text. */
export function isPlainText(mediaType: string, object: MediaTypeObject, codecs: readonly string[]): boolean {
  const isText = kindOf(mediaType) === 'text' && !isSequential(mediaType, object);
  return isText && findCodec(mediaType, codecs) === undefined;
}

/** Returns the parsed media types of a request body. */
function receivedContent(body: OperationParts['requestBody'], codecs: readonly string[]): Content {
  return parsedContent(body?.content ?? {}, codecs, (name) => ['json', 'form', 'multipart'].includes(sentKindOf(name)));
}

/** Returns the media types for which handlers reply with values. */
function sentContent(content: Content, codecs: readonly string[]): Content {
  return parsedContent(content, codecs, (mediaType) => sentKindOf(mediaType) === 'json');
}

/** Returns sequences, media types with codecs, and media types that satisfy `isParsed`. */
function parsedContent(content: Content, codecs: readonly string[], isParsed: (name: string) => boolean): Content {
  return mapDefined(content, (object, name) =>
    isSequential(name, object) || findCodec(name, codecs) !== undefined || isParsed(name) ? object : undefined,
  );
}

type Schema = Readonly<Record<string, unknown>>;

// A schema with one of these keywords describes values other than strings.
const STRUCTURE = ['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems'];

/**
 * Marks the strings that the application decodes. Strings that the location does not identify are not decoded.
 *
 * @returns a warning for each string that is not decoded
 */
export function markDecodedFormats(document: Document, { formats, codecs }: Declared): Diagnostic[] {
  if (formats.length === 0) return [];
  markDecoded(document, formats);
  const values = decodedStrings(document);
  const warnings: Diagnostic[] = [];
  // Repeats, since an unmarked string makes other strings at the same location ambiguous.
  for (let known = -1; known !== warnings.length;) {
    known = warnings.length;
    for (const operation of listOperations(document)) {
      for (const [name, root] of valueSchemas(partsOf(document, operation), codecs)) {
        for (const { problem, schemas } of findConflicts(document, root, name, values)) {
          const remaining = schemas.filter(isDecoded);
          for (const schema of remaining) Reflect.deleteProperty(schema, DECODED);
          const names = [...new Set(remaining.map(({ format }) => String(format)))].join(' and ');
          if (remaining.length > 0)
            warnings.push({ pointer: operation.pointer, message: `${names} stays a string: ${problem}` });
        }
      }
    }
  }
  return warnings;
}

/**
 * Marks string schemas with the declared formats. Skips schemas with `enum` or `const`, whose type is their values.
 */
function markDecoded(document: Document, formats: readonly string[]): void {
  walkDocument(document, ({ kind, node }) => {
    const { format } = node;
    const isDeclared = typeof format === 'string' && formats.includes(format);
    if (kind === 'schema' && isDeclared && typesOf(node).includes('string') && !hasValues(node))
      Object.assign(node, { [DECODED]: true });
  });
}

/**
 * Describes the strings that the application decodes. At the location of such a string, the only other allowed value is
 * `null`.
 */
function decodedStrings(document: Document): LocatedValues {
  return {
    name: 'a format',
    isOne: isDecoded,
    problemsOf(schemas) {
      const decoded = schemas.filter(isDecoded);
      const formats = new Set(decoded.map(({ format }) => format));
      const alternatives = schemas
        .flatMap(({ anyOf, oneOf }) => [anyOf ?? [], oneOf ?? []].flat())
        .map((node) => dereference(document, node));
      const isAmbiguous = formats.size > 1 || schemas.some(allowsOthers) || alternatives.some(allowsAll);
      return decoded.length > 0 && isAmbiguous ? [['may be of another type or format', decoded]] : [];
    },
  };
}

/** Returns whether a schema alone allows values other than null and decoded strings. */
function allowsOthers(schema: Schema): boolean {
  const others = typesOf(schema).filter((type) => type !== 'null' && !(type === 'string' && isDecoded(schema)));
  return others.length > 0 || hasValues(schema) || STRUCTURE.some((keyword) => keyword in schema);
}

/** Returns whether a schema allows values of any type. */
function allowsAll(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return node === true;
  const combinations = IN_PLACE_LISTS.some((keyword) => keyword in node);
  return !combinations && !allowsOthers(node as Schema) && typesOf(node as Schema).length === 0;
}

function hasValues(schema: Schema): boolean {
  return 'const' in schema || 'enum' in schema;
}

function typesOf({ type }: Schema): readonly unknown[] {
  return [type ?? []].flat();
}
