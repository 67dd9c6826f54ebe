import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isInt64 } from '../contract/int64.ts';
import { stringifyJson } from '../contract/json.ts';
import { kindOf, matchMediaType, separatorOf } from '../contract/media-type.ts';
import { findResponse, findSizeProblem, type DocumentedResponse, type Operation } from '../contract/operation.ts';
import { InvalidResponse, type OperationValidator } from '../contract/validator.ts';
import { discard } from './bytes.ts';
import { withCors } from './cors.ts';
import { requestIdOf } from './trace.ts';

type Headers = Readonly<Record<string, string>>;

/** A response ready to be sent. */
export type Response = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
};

/** The result of any handler. */
export type AnyReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Required where the document has several media types for the status. */
  readonly contentType?: string;
  readonly body?: unknown;
};

// How long a client may keep sending after its response.
const LINGER_MS = 1_500;

/**
 * Validates the reply of a handler and converts it to a response.
 *
 * @throws {InvalidResponse} when the status, the headers or the body do not conform to the document
 */
export function toResponse(
  operation: Operation,
  validator: OperationValidator,
  reply: AnyReply,
): Response | Promise<Response> {
  const { status, body } = reply;
  const fail = (problem: string): never => {
    throw new InvalidResponse(`${operation.operationId}: status ${String(status)} ${problem}`);
  };
  const [, documented] = findResponse(operation, status) ?? fail('is not documented');
  const values = headerValues(reply.headers);
  if (reply.headers !== undefined) validator.responseHeaders(status, withoutBigints(values) as object);
  const headers = serializeHeaders(values, documented.headerFormats);
  for (const name of documented.requiredHeaders) if (!Object.hasOwn(headers, name)) fail(`needs the header ${name}`);

  if (documented.mediaTypes.length === 0) {
    return body === undefined ? { status, headers, body } : fail('must not have a body');
  }
  const contentType = reply.contentType ?? documented.mediaTypes[0] ?? '';
  const mediaType =
    matchMediaType(contentType, documented.mediaTypes) ?? fail(`must not have the media type ${contentType}`);
  if (contentType.includes('*')) fail('needs a concrete contentType, without a wildcard');
  headers['content-type'] = contentType;

  const isItemList = documented.itemLists?.includes(mediaType) === true;
  const encoded = isItemList
    ? encodeItems(validator, status, mediaType, body)
    : encodeBody(validator, status, mediaType, contentType, body);
  const limits = kindOf(contentType) === 'binary' ? documented.bytes?.[mediaType] : undefined;
  const problem =
    limits && findSizeProblem(encoded instanceof Blob ? encoded.size : Buffer.byteLength(encoded), limits);
  if (problem !== undefined) fail(`has a body that ${problem}`);
  if (!(encoded instanceof Blob)) return { status, headers, body: encoded };
  return encoded.bytes().then((bytes) => ({ status, headers, body: bytes }));
}

/**
 * Validates the body of a response, and serializes it as its media type requires.
 *
 * @param mediaType as documented, such as `text/*`
 * @param contentType as sent
 * @throws {InvalidResponse} when the body does not conform
 */
export function encodeBody(
  validator: OperationValidator,
  status: number,
  mediaType: string,
  contentType: string,
  body: unknown,
): string | Uint8Array | Blob {
  const kind = kindOf(contentType);
  if (kind === 'json') {
    const isPlain = !hasBigint(body);
    validator.response(status, mediaType, isPlain ? body : withoutBigints(body));
    return isPlain ? JSON.stringify(body) : stringifyJson(body);
  }
  if (kind === 'text' && typeof body === 'string') validator.response(status, mediaType, body);
  if (typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob) return body;
  throw new InvalidResponse(`status ${String(status)} needs a string, bytes or a Blob as its ${contentType} body`);
}

/** Validates a list, and serializes it as a sequence of JSON values. */
function encodeItems(validator: OperationValidator, status: number, mediaType: string, body: unknown): string {
  validator.response(status, mediaType, withoutBigints(body));
  const start = separatorOf(mediaType) === '\n' ? '' : '\x1E'; // RFC 7464, 2.2.
  return (body as readonly unknown[]).map((item) => `${start}${stringifyJson(item)}\n`).join(''); // As just validated.
}

/** Returns the headers of every response. It must not be cached, and its media type must not be guessed. */
export function commonHeaders(requestId: string): Headers {
  return { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'x-request-id': requestId };
}

/**
 * Sends a response. Only this function writes to a `ServerResponse`. While the request is still arriving, the response
 * closes the connection.
 */
export function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Response): void {
  if (res.headersSent || res.destroyed) return;
  if (!req.complete) res.shouldKeepAlive = false;
  // RFC 9110, 8.6: no Content-Length for a status without a body.
  const bodyless = body === undefined && (status === 204 || status === 304 || status < 200);
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const common = commonHeaders(requestIdOf(req));
  const all = bodyless ? { ...common, ...headers } : { ...common, ...headers, 'content-length': length };
  res.writeHead(status, withCors(req, all));
  if (req.complete || length === 0 || req.method === 'HEAD') {
    res.end(body);
    return;
  }
  // After end(), Node would close the connection at once.
  res.write(body, () => {
    lingeringClose(req.socket);
  });
  void discard(req);
}

/**
 * Closes a connection in stages: stops sending but keeps reading, so that a client that is still sending receives the
 * response instead of a reset (RFC 9112, 9.6).
 */
export function lingeringClose(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.end();
  socket.resume();
}

/** Returns the headers that have a value, by name in lower case. */
function headerValues(headers: AnyReply['headers'] = {}): Readonly<Record<string, unknown>> {
  const defined = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined.map(([name, value]) => [name.toLowerCase(), value]));
}

/** Serializes header values as JSON or in the style `simple`, the only style of headers. */
function serializeHeaders(
  headers: Readonly<Record<string, unknown>>,
  formats: DocumentedResponse['headerFormats'] = {},
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (formats[name] === 'json') return [name, stringifyJson(value)];
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!isObject) return [name, [value].flat().map(String).join(',')];
      const separator = formats[name] === 'exploded' ? '=' : ',';
      return [
        name,
        Object.entries(value)
          .map((member) => member.map(String).join(separator))
          .join(','),
      ];
    }),
  );
}

function hasBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(hasBigint);
}

/** Copies a value with numbers in place of bigints, as the validator expects. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (!isInt64(value)) throw new InvalidResponse(`${String(value)} is not an int64`);
    return Number(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutBigints);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutBigints(member)]));
}
