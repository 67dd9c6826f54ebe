import {
  essenceOf,
  findExcess,
  findResponseKey,
  findSizeProblem,
  InvalidResponse,
  kindOf,
  mapBigints,
  matchMediaType,
  nodeHttp,
  sequenceKindOf,
  SourceDigits,
  stringifyJson,
  toJsonValue,
  type DocumentedResponse,
  type MediaTypeChoice,
  type Operation,
  type OperationValidator,
  type PartDigits,
} from '@contract-first/contract';
import { isBodyStream, isStreamable, openStream, type BodyStream } from './body-stream.ts';
import type { Conversions } from '../read/codecs.ts';
import type { CompiledOperation } from '../compiled-operation.ts';
import { formatItem } from '../read/item-list.ts';

/** Headers by name in lower case. A list is sent as several fields. */
export type HeaderFields = Readonly<Record<string, string | readonly string[]>>;

/** A response ready to be sent. */
export type PreparedResponse<Body = WholeBody> = {
  readonly status: number;
  readonly headers: HeaderFields;
  readonly body: Body;
};
type WholeBody = string | Uint8Array | undefined;

/** The response of a handler, whose body may be sent while it is produced. */
export type HandlerResponse = PreparedResponse<WholeBody | BodyStream>;

/** The result of any handler. */
export type AnyReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** The default is the only documented media type of the status, or JSON. */
  readonly contentType?: string;
  readonly body?: unknown;
};

/**
 * Validates the reply of a handler and converts it to a response.
 *
 * @throws {InvalidResponse} when the status, the headers or the body do not conform to the document
 */
export function toResponse(compiled: CompiledOperation, reply: AnyReply, conversions: Conversions): HandlerResponse {
  const { operation, validator } = compiled;
  const { formats } = conversions;
  const { status, body } = reply;
  const key = findResponseKey(operation, status) ?? '';
  const documented = operation.responses[key] ?? fail(operation, status, 'is not documented');
  const shapes = operation.formats?.responses[key];
  const headers = reply.headers === undefined ? {} : encodeHeaders(compiled, conversions, status, reply.headers);
  for (const name of documented.requiredHeaders)
    if (!Object.hasOwn(headers, name)) fail(operation, status, `needs the header ${name}`);

  if (documented.mediaTypes.length === 0) {
    return body === undefined ? { status, headers, body } : fail(operation, status, 'must not have a body');
  }
  const contentType = reply.contentType ?? defaultMediaType(documented.mediaTypes);
  if (essenceOf(contentType).includes('*')) fail(operation, status, 'needs a concrete contentType, without a wildcard');
  const mediaType =
    matchMediaType(contentType, documented.mediaTypes) ??
    fail(operation, status, `must not have the media type ${contentType}`);
  headers['content-type'] = toFieldValue('content-type', contentType);

  if (documented.sequentialTypes?.includes(mediaType) === true) {
    const encode = (list: unknown): unknown => formats.encode(list, shapes?.bodies[mediaType], 'body');
    return { status, headers, body: encodeItems(validator, status, mediaType, body, encode) };
  }
  const kind = kindOf(contentType);
  const limits = kind === 'binary' ? documented.bytes?.[mediaType] : undefined;
  const checkSize = (sizeBytes: number, isEnd = true): void => {
    const problem = isEnd ? findSizeProblem(sizeBytes, limits) : findExcess(sizeBytes, limits);
    if (problem !== undefined) fail(operation, status, `has a body that ${problem}`);
  };
  if (kind !== 'json' && documented.codecs?.[mediaType] === undefined && isStreamable(body))
    return { status, headers, body: streamBytes(body, checkSize) };
  const encoded = encodeBody(compiled, conversions, status, { documented: mediaType, sent: contentType }, body);
  if (encoded instanceof Blob) {
    checkSize(encoded.size);
    return { status, headers, body: { ...streamBytes(encoded.stream()), sizeBytes: encoded.size } };
  }
  if (limits !== undefined) checkSize(Buffer.byteLength(encoded));
  return { status, headers, body: encoded };
}

/** Returns the default media type of a body: the only documented one, or JSON. */
function defaultMediaType(mediaTypes: readonly string[]): string {
  const [first = ''] = mediaTypes;
  if (mediaTypes.length === 1) return first;
  const isPlain = (name: string): boolean => essenceOf(name) === 'application/json';
  return mediaTypes.find(isPlain) ?? mediaTypes.find((name) => kindOf(name) === 'json') ?? first;
}

/**
 * Validates the body of a response, and serializes it according to its media type.
 *
 * @throws {InvalidResponse} when the body does not conform
 */
export function encodeBody(
  { operation, validator }: CompiledOperation,
  { codecs, formats }: Conversions,
  status: number,
  { documented: mediaType, sent: contentType }: MediaTypeChoice,
  value: unknown,
): string | Uint8Array | Blob {
  const key = findResponseKey(operation, status) ?? '';
  const body = formats.encode(value, operation.formats?.responses[key]?.bodies[mediaType], 'body');
  const kind = kindOf(contentType);
  if (kind === 'json') return encodeJson(validator, status, mediaType, body);
  const { codecs: codecNames, scalarTexts } = operation.responses[key] ?? {};
  const isBytes = body instanceof Uint8Array || body instanceof Blob;
  if (scalarTexts?.includes(mediaType) === true && !isBytes) {
    const exact = toJsonValue(body);
    validate(validator, status, mediaType, exact);
    return typeof exact === 'string' ? exact : stringifyJson(exact);
  }
  const codec = codecNames?.[mediaType];
  if (codec !== undefined) {
    const exact = toJsonValue(body);
    validate(validator, status, mediaType, exact);
    const schema = operation.schemas.responses[key]?.bodies[mediaType];
    return codecs.encode(exact, { codec, contentType, schema });
  }
  if (kind === 'text' && typeof body === 'string') validator.response(status, mediaType, body);
  if (typeof body === 'string' || isBytes) return body;
  throw new InvalidResponse(`status ${String(status)} needs a string, bytes or a Blob as its ${contentType} body`);
}

function encodeJson(validator: OperationValidator, status: number, mediaType: string, body: unknown): string {
  const exact = toJsonValue(body);
  const hasBigints = validate(validator, status, mediaType, exact);
  return hasBigints ? stringifyJson(exact) : JSON.stringify(exact);
}

/**
 * Validates a JSON value that may contain bigints.
 *
 * @returns whether the value contains bigints
 */
function validate(validator: OperationValidator, status: number, mediaType: string, body: unknown): boolean {
  const { plain, digitsOf } = withoutBigints(body);
  validator.response(status, mediaType, plain, digitsOf);
  return plain !== body;
}

function fail({ operationId }: Operation, status: number, problem: string): never {
  throw new InvalidResponse(`${operationId}: status ${String(status)} ${problem}`);
}

/**
 * Validates a list or stream of values, and serializes it as a sequence.
 *
 * @param encode encodes the values with declared formats in a list
 */
function encodeItems(
  validator: OperationValidator,
  status: number,
  mediaType: string,
  body: unknown,
  encode: (list: unknown) => unknown,
): string | BodyStream {
  if (!isStreamable(body)) {
    const list = toJsonValue(encode(body));
    validate(validator, status, mediaType, list);
    return (list as readonly unknown[]).map((item) => formatItem(mediaType, item)).join(''); // Validated above.
  }
  let count = 0;
  return openStream(body, (item) => {
    count += 1;
    let encoded: unknown;
    try {
      const list = toJsonValue(encode([item]));
      validate(validator, status, mediaType, list);
      [encoded] = list as readonly unknown[]; // Encoding a list returns a list.
    } catch (error) {
      throw new InvalidResponse(`item ${String(count)} of the stream does not conform`, { cause: error });
    }
    return formatItem(mediaType, encoded);
  });
}

/** @param checkSize throws when the size so far, or the size of the whole body, is not allowed */
function streamBytes(
  body: AsyncIterable<unknown>,
  checkSize: (sizeBytes: number, isEnd: boolean) => void = () => undefined,
): BodyStream {
  let sizeBytes = 0;
  const encode = (chunk: unknown): string | Uint8Array => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw new InvalidResponse('a stream of bytes or text must consist of strings and Uint8Arrays');
    sizeBytes += Buffer.byteLength(chunk);
    checkSize(sizeBytes, false);
    return chunk;
  };
  return openStream(body, encode, () => {
    checkSize(sizeBytes, true);
  });
}

/** Whether a response is a stream of server-sent events. */
export function isEventStream({ 'content-type': contentType = '' }: HeaderFields): boolean {
  return sequenceKindOf(String(contentType)) === 'event-stream';
}

/**
 * Returns a response that can be sent: removes the body if the status allows none (RFC 9110, 6.4.1).
 *
 * @throws {InvalidResponse} when the status is not final: it must be from 200 to 599 (RFC 9110, 15)
 */
export function toSendable(response: HandlerResponse): HandlerResponse {
  const { status, headers, body } = response;
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    cancelStream(body);
    throw new InvalidResponse(`the status ${String(status)} is not from 200 to 599`);
  }
  if (body === undefined || (status !== 204 && status !== 205 && status !== 304)) return response;
  cancelStream(body);
  const others = Object.entries(headers).filter(([name]) => name !== 'content-type');
  return { status, headers: Object.fromEntries(others), body: undefined };
}

function cancelStream(body: HandlerResponse['body']): void {
  if (isBodyStream(body)) body.cancel();
}

/**
 * Validates and serializes the headers of a response, by name in lower case. Skips headers that are `undefined`.
 *
 * @throws {InvalidResponse} when a header does not conform
 */
export function encodeHeaders(
  { operation, validator }: CompiledOperation,
  { formats }: Conversions,
  status: number,
  headers: NonNullable<AnyReply['headers']>,
): Record<string, string | readonly string[]> {
  const key = findResponseKey(operation, status) ?? '';
  const encoded = formats.encode(definedHeaders(headers), operation.formats?.responses[key]?.headers, 'header');
  const { plain, digitsOf } = withoutBigints(toJsonValue(encoded));
  validator.responseHeaders(status, plain as object, digitsOf);
  return serializeHeaders(encoded as Readonly<Record<string, unknown>>, operation.responses[key]?.headerFormats);
}

/** Returns the headers of a reply that are not `undefined`, by name in lower case. */
export function definedHeaders(headers: NonNullable<AnyReply['headers']>): Readonly<Record<string, unknown>> {
  const defined = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined.map(([name, value]) => [name.toLowerCase(), value]));
}

/**
 * Serializes header values as JSON or in the style `simple`, the only style of headers. A list of cookies stays a list.
 *
 * @throws {InvalidResponse} when a name or a value cannot be sent
 */
export function serializeHeaders(
  headers: Readonly<Record<string, unknown>>,
  formats: DocumentedResponse['headerFormats'] = {},
): Record<string, string | readonly string[]> {
  const serialized = Object.entries(toJsonValue(headers) as object).map(([name, value]: [string, unknown]) => {
    if (formats[name] === 'json') return [name, toFieldValue(name, stringifyJson(value))] as const;
    // RFC 9110, 5.3: Set-Cookie is the only field whose values cannot be joined by commas.
    if (name === 'set-cookie')
      return [name, [value].flat().map((cookie) => toFieldValue(name, String(cookie)))] as const;
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    const parts = isObject ? membersOf(value, formats[name]) : [value].flat();
    return [name, toFieldValue(name, parts.map(String).join(','))] as const;
  });
  return Object.fromEntries<string | readonly string[]>(serialized);
}

function membersOf(object: object, format: string | undefined): readonly string[] {
  const separator = format === 'exploded' ? '=' : ',';
  return Object.entries(object).map((member) => member.map(String).join(separator));
}

/** Checks a header and returns its value. @throws {InvalidResponse} for an invalid name or characters beyond Latin-1 */
export function toFieldValue(name: string, text: string): string {
  try {
    nodeHttp.validateHeaderName(name);
    nodeHttp.validateHeaderValue(name, text);
    return text;
  } catch (error) {
    throw new InvalidResponse(`the header ${name} cannot be sent: ${(error as Error).message}`);
  }
}

/** Replaces bigints with numbers for the validator, and returns their digits. Returns other values unchanged. */
function withoutBigints(value: unknown): { readonly plain: unknown; readonly digitsOf: PartDigits | undefined } {
  const digits = new SourceDigits();
  const root = { '': undefined as unknown };
  root[''] = mapBigints(value, (bigint, holder, key) => {
    digits.record(holder ?? root, key, String(bigint));
    return Number(bigint);
  });
  if (digits.isEmpty) return { plain: root[''], digitsOf: undefined };
  return { plain: root[''], digitsOf: (holder = root, key) => digits.get(holder, holder === root ? '' : key) };
}
