import type { IncomingMessage } from 'node:http';
import {
  findExcess,
  findSizeProblem,
  isMediaType,
  isUpload,
  kindOf,
  matchMediaType,
  parseJsonTree,
  placeOf,
  SourceDigits,
  type JsonTree,
  type Operation,
  type Parameter,
  type Violation,
  type RequestMediaType,
  type TextType,
} from '@contract-first/contract';
import { contentCodingOf } from '../headers/content-coding.ts';
import {
  ByteBuffer,
  collectBytes,
  contentLengthOf,
  hasContent,
  readBytes,
  readChunks,
  type ReadLimits,
} from './bytes.ts';
import { checkBodySize } from './body-limit.ts';
import type { BodyCodecs } from './codecs.ts';
import { decompress, type RequestCoding, type RequestCodings } from './decompression.ts';
import { Failure, malformedFailure } from '../failure.ts';
import { readMultipartForm, readUrlEncodedForm } from './form.ts';
import { parseItems } from './item-list.ts';
import { decodeUtf8, setScalar } from './text-value.ts';
import { Upload } from './upload.ts';

/** A parsed request body. */
export type RequestBody = JsonTree & {
  /** The media type of the contract. */
  readonly mediaType: string;
  /** The media type of the request, with its parameters. */
  readonly contentType: string;
  /** The size of the body without files. */
  readonly sizeBytes: number;
  /** The violations of form fields that could not be read; these fields are not in the tree. */
  readonly violations?: readonly Violation[];
  /** The files of a form. */
  readonly files?: ReadonlyMap<string, readonly File[]>;
};

/** The limits and callbacks for reading a body. */
export type BodyReader = ReadLimits & {
  /** The maximum size of a multipart form without its files. */
  readonly fieldsLimitBytes: number;
  /** Called once the headers are acceptable: sends 100 Continue, or throws. */
  sendContinue(): void;
  /** Receives the upload of a binary or multipart body, to remove it after the response. */
  keepUpload(upload: Upload): void;
};

/**
 * Reads the body of a request to an operation; synchronously if it has arrived.
 *
 * @returns `undefined` when an optional body is absent
 * @throws {Failure} 400 for a missing, malformed or partial body, 413 when it is too large, 415 for other media types
 * @throws {TemporaryFolderUnavailable} when a large upload cannot be stored
 * @throws the errors of the reader
 */
export function readBody(
  req: IncomingMessage,
  operation: Operation,
  reader: BodyReader,
  codecs: BodyCodecs,
  codings: RequestCodings,
): RequestBody | undefined | Promise<RequestBody | undefined> {
  const { requestBody } = operation;
  if (isPartialPut(req, operation))
    throw malformedFailure(placeOf('header', 'Content-Range'), 'must not be sent: a PUT needs the whole body');
  if (requestBody === undefined) return undefined;
  const contentType = req.headers['content-type'] ?? '';
  const documented = Object.keys(requestBody.content);
  if (!hasBody(req) && !allowsEmptyBody(matchMediaType(contentType, documented), contentType, requestBody))
    return missingBody(requestBody);
  const coding = findCoding(req, codings);
  if (coding instanceof Failure) return refuseUnlessEmpty(req, coding, requestBody);
  const mediaType = findMediaType(contentType, requestBody);
  if (mediaType instanceof Failure) return refuseUnlessEmpty(req, mediaType, requestBody);
  // Middleware may have put the whole body back, with `unshift`.
  if (req.readableDidRead && req.readableLength === 0)
    throw new Error('the body was read before: no body parser may be used before the operations');
  checkBodySize(contentLengthOf(req) ?? 0, reader.limitBytes);
  reader.sendContinue();
  if (isUpload(mediaType, requestBody.content[mediaType] ?? {}, contentType))
    return readUpload(req, requestBody, mediaType, contentType, reader, coding);
  const bytes = coding === undefined ? readBytes(req, reader) : collectBytes(chunksOf(req, coding, reader), reader);
  return bytes instanceof Promise
    ? bytes.then((read) => parseBody(read, operation, requestBody, mediaType, contentType, codecs))
    : parseBody(bytes, operation, requestBody, mediaType, contentType, codecs);
}

type DocumentedBody = NonNullable<Operation['requestBody']>;

function parseBody(
  bytes: Buffer,
  { schemas }: Operation,
  requestBody: DocumentedBody,
  mediaType: string,
  contentType: string,
  codecs: BodyCodecs,
): RequestBody | undefined {
  const sizeBytes = bytes.length;
  if (sizeBytes === 0 && !allowsEmptyBody(mediaType, contentType, requestBody)) return missingBody(requestBody);
  const documentedBody = requestBody.content[mediaType] ?? {};
  const kind = documentedBody.json === true ? 'json' : kindOf(mediaType);
  if (kind === 'json' && documentedBody.sequential !== true) {
    const { root, sourceDigits } = readJson(bytes);
    return { mediaType, contentType, sizeBytes, root, sourceDigits };
  }
  const { codec } = documentedBody;
  if (codec !== undefined) {
    const tree = codecs.decode(bytes, { codec, contentType, schema: schemas.bodies[mediaType] });
    return { mediaType, contentType, sizeBytes, ...tree };
  }
  const text = decodeUtf8(bytes);
  const common = { mediaType, contentType, sizeBytes };
  if (documentedBody.sequential === true) return { ...common, ...parseItems(text, mediaType) };
  if (documentedBody.text !== undefined) return { ...common, ...readScalarText(text, documentedBody.text) };
  return { ...common, ...(kind === 'form' ? readUrlEncodedForm(text, documentedBody) : toTree(text)) };
}

/** @throws {Failure} 400 when a text has none of the documented types */
function readScalarText(text: string, type: TextType): JsonTree {
  const root = { '': undefined };
  const sourceDigits = new SourceDigits();
  const problem = setScalar(root, '', text, type, sourceDigits);
  if (problem !== undefined) throw malformedFailure('body', problem, 'the request body');
  return { root, sourceDigits };
}

async function readUpload(
  req: IncomingMessage,
  requestBody: DocumentedBody,
  mediaType: string,
  contentType: string,
  reader: BodyReader,
  coding: RequestCoding | undefined,
): Promise<RequestBody | undefined> {
  const upload = new Upload(reader, coding === undefined ? contentLengthOf(req) : undefined);
  reader.keepUpload(upload);
  const read = kindOf(mediaType) === 'multipart' ? readMultipart : readBinary;
  const chunks = chunksOf(req, coding, reader);
  const tree = await read(chunks, contentType, requestBody.content[mediaType] ?? {}, upload, reader);
  return tree === undefined ? missingBody(requestBody) : { mediaType, contentType, ...tree };
}

type UploadTree = Omit<RequestBody, 'mediaType' | 'contentType'>;

/** Reads a multipart form. Returns `undefined` when the body is empty. */
async function readMultipart(
  chunks: AsyncIterable<Buffer>,
  contentType: string,
  documentedBody: RequestMediaType,
  files: Upload,
  reader: BodyReader,
): Promise<UploadTree | undefined> {
  let receivedBytes = 0;
  async function* counted(): AsyncGenerator<Buffer, void> {
    for await (const chunk of chunks) {
      receivedBytes += chunk.length;
      yield chunk;
    }
  }
  const limitBytes = Math.min(reader.limitBytes, reader.fieldsLimitBytes);
  const reserve = (bytes: number): void => {
    reader.reserve(bytes);
  };
  const fields = new ByteBuffer({ limitBytes, reserve });
  const tree = await readMultipartForm(counted(), contentType, documentedBody, { fields, files });
  return receivedBytes === 0 ? undefined : { ...tree, sizeBytes: fields.bytes.length };
}

/** Reads a binary body. Rejects a body that is too large while it arrives. */
async function readBinary(
  chunks: AsyncIterable<Buffer>,
  type: string,
  { bytes: sizes }: RequestMediaType,
  upload: Upload,
): Promise<UploadTree> {
  const check = (problem: string | undefined): void => {
    if (problem !== undefined) throw malformedFailure('body', problem);
  };
  for await (const chunk of chunks) {
    check(findExcess(upload.sizeBytes + chunk.length, sizes));
    await upload.append(chunk);
  }
  check(findSizeProblem(upload.sizeBytes, sizes));
  return { ...toTree(new Blob([await upload.toBlob()], { type })), sizeBytes: 0 };
}

/**
 * Parses JSON without losing digits of numbers.
 *
 * @param subject names the text in messages
 * @throws {Failure} 400 when the JSON is malformed
 */
export function readJson(bytes: Buffer, subject = 'the request body'): JsonTree {
  const text = decodeUtf8(bytes, subject);
  if (text.startsWith('\uFEFF')) throw malformedFailure('body', 'must not start with a byte order mark', subject);
  try {
    return parseJsonTree(text);
  } catch (error) {
    throw malformedFailure('body', `is not valid JSON: ${(error as SyntaxError).message}`, subject);
  }
}

/** An empty body is valid for text, forms and binary, but not for JSON, numbers or codecs. */
function allowsEmptyBody(mediaType: string | undefined, contentType: string, { content }: DocumentedBody): boolean {
  if (mediaType === undefined) return false;
  const { codec, text, json } = content[mediaType] ?? {};
  if (codec !== undefined || text !== undefined || (json === true && kindOf(contentType) === 'json')) return false;
  return ['text', 'form', 'binary'].includes(kindOf(mediaType));
}

function missingBody({ required }: DocumentedBody): RequestBody | undefined {
  if (required) throw malformedFailure('body', 'is required', 'a request body');
  return undefined;
}

function toTree(value: unknown): JsonTree {
  return { root: { '': value }, sourceDigits: new SourceDigits() };
}

/**
 * Whether a request is a partial PUT (RFC 9110, 14.5), and the document has no Content-Range parameter. Content-Range
 * has no meaning in requests with other methods.
 */
function isPartialPut({ headers }: IncomingMessage, { method, parameters }: Operation): boolean {
  const isContentRange = ({ in: location, name }: Parameter): boolean =>
    location === 'header' && name.toLowerCase() === 'content-range';
  return method === 'PUT' && headers['content-range'] !== undefined && !parameters.some(isContentRange);
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/**
 * Rejects a body unless it is empty: a proxy may forward a request without a body with an empty chunked body.
 *
 * @throws {Failure} the given failure, or 400 when the body is empty and required
 */
function refuseUnlessEmpty(
  req: IncomingMessage,
  failure: Failure,
  body: DocumentedBody,
): RequestBody | undefined | Promise<RequestBody | undefined> {
  if (!hasBody(req)) return missingBody(body);
  // A client that expects 100 Continue has a body.
  if (req.headers['transfer-encoding'] === undefined || req.headers.expect !== undefined) throw failure;
  return hasContent(req).then((isSent) => {
    if (isSent) throw failure;
    return missingBody(body);
  });
}

/** Returns the chunks of a body without its coding. */
function chunksOf(req: IncomingMessage, coding: RequestCoding | undefined, reader: BodyReader): AsyncIterable<Buffer> {
  const sent = readChunks(req, reader.limitBytes);
  return coding === undefined ? sent : decompress(sent, coding, reader);
}

/** Returns the content coding of a body, or a 415 failure (RFC 9110, 15.5.16). */
function findCoding({ headers }: IncomingMessage, codings: RequestCodings): RequestCoding | undefined | Failure {
  const name = contentCodingOf(headers['content-encoding'] ?? '');
  if (name === '' || name === 'identity') return undefined;
  const accepted = [...codings.keys()].join(', ');
  const advice =
    accepted === '' ? 'without a Content-Encoding' : `with one Content-Encoding of ${accepted}, or without`;
  return (
    codings.get(name) ??
    new Failure(415, `send the request body ${advice}`, { 'accept-encoding': accepted || 'identity' })
  );
}

/** Returns the documented media type of a body, or a 415 failure. */
function findMediaType(contentType: string, { content }: DocumentedBody): string | Failure {
  const documented = Object.keys(content);
  const mediaType = matchMediaType(contentType, documented);
  if (mediaType === undefined) {
    const accepted = documented.join(', ');
    const isWrong = contentType === '' || isMediaType(contentType);
    const advice = isWrong ? 'the request body as Content-Type:' : 'one media type as Content-Type, which is among';
    return new Failure(415, `send ${advice} ${accepted}`, { accept: accepted });
  }
  if (kindOf(mediaType) === 'text' && content[mediaType]?.codec === undefined && !isUtf8Text(contentType)) {
    return new Failure(415, 'send text as UTF-8', { accept: `${mediaType}; charset=utf-8` });
  }
  return mediaType;
}

function isUtf8Text(contentType: string): boolean {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase();
  if (charset === undefined || charset === 'us-ascii') return true;
  try {
    return new TextDecoder(charset).encoding === 'utf-8'; // Also accepts aliases, such as `utf8`.
  } catch {
    return false;
  }
}
