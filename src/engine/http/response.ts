import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { isInt64 } from '../contract/int64.ts';
import { stringifyJson } from '../contract/json.ts';
import { essenceOf, kindOf, matchMediaType } from '../contract/media-type.ts';
import { findResponse, type Operation } from '../contract/operation.ts';
import { InvalidResponse, type OperationValidator } from '../contract/validator.ts';
import { discard } from './bytes.ts';
import { errorBody, type Failure } from './failure.ts';
import { requestIdOf } from './trace.ts';

type Headers = Readonly<Record<string, string>>;

/** An answer ready to be sent. */
export type Response = {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string | Uint8Array | undefined;
};

/** What a handler returned, as far as the writer cares. */
export type AnyReply = {
  readonly status: number;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** Needed where the document has several media types for the status. */
  readonly contentType?: string;
  readonly body?: unknown;
};

// How long a client may go on sending after its answer.
const LINGER_MS = 1_500;

/**
 * Turns a reply into an answer, once the document allows it.
 *
 * @throws {InvalidResponse} when the document has no such status, header or body for the operation
 */
export function toResponse(
  operation: Operation,
  validator: OperationValidator,
  reply: AnyReply,
): Response | Promise<Response> {
  const { status, body } = reply;
  const broken = (problem: string): never => {
    throw new InvalidResponse(`${operation.operationId}: status ${String(status)} ${problem}`);
  };
  const [, plan] = findResponse(operation, status) ?? broken('is not documented');
  const headers = reply.headers === undefined ? {} : writeHeaders(reply.headers);
  for (const name of plan.requiredHeaders) if (!Object.hasOwn(headers, name)) broken(`needs the header ${name}`);

  if (plan.mediaTypes.length === 0) {
    return body === undefined ? { status, headers, body } : broken('has no body in the document');
  }
  const contentType = reply.contentType ?? plan.mediaTypes[0] ?? '';
  const mediaType = matchMediaType(contentType, plan.mediaTypes) ?? broken(`cannot be ${contentType}`);
  if (contentType.includes('*')) broken('needs a contentType without a wildcard');
  headers['content-type'] = contentType;

  const kind = kindOf(mediaType);
  if (kind === 'json') {
    const isPlain = !hasBigint(body);
    validator.response(status, mediaType, isPlain ? body : withoutBigints(body));
    return { status, headers, body: isPlain ? JSON.stringify(body) : stringifyJson(body) };
  }
  if (kind === 'text' && typeof body === 'string') validator.response(status, mediaType, body);
  if (typeof body === 'string' || body instanceof Uint8Array) return { status, headers, body };
  if (body instanceof Blob) return body.bytes().then((bytes) => ({ status, headers, body: bytes }));
  return broken(`as ${essenceOf(mediaType)} needs a body that is a string, bytes or a Blob`);
}

/** The answer to a failure. */
export function failureResponse({ status, message, headers }: Failure): Response {
  const body = JSON.stringify(errorBody(status, message));
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** The fields of every answer, whatever it is. */
export function commonHeaders(requestId: string): Headers {
  // Of what a plant is, nothing may stay in a cache on the way, and no browser may take it for something else.
  return { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'x-request-id': requestId };
}

/**
 * Sends an answer. This is the only place that writes to a response. While the request is still on its way, the answer
 * closes the connection.
 */
export function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: Response): void {
  if (res.headersSent || res.destroyed) return;
  if (!req.complete) res.shouldKeepAlive = false;
  // RFC 9110, 8.6: no Content-Length where there can be no body.
  const bodyless = body === undefined && (status === 204 || status === 304 || status < 200);
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  const common = commonHeaders(requestIdOf(req));
  res.writeHead(status, bodyless ? { ...common, ...headers } : { ...common, ...headers, 'content-length': length });
  if (req.complete || length === 0 || req.method === 'HEAD') {
    res.end(body);
    return;
  }
  // Not by end(), after which Node closes the connection at once.
  res.write(body, () => {
    lingeringClose(req.socket);
  });
  void discard(req);
}

/**
 * Closes a connection: sends nothing more, but goes on reading, so that a client that is still sending sees the answer
 * instead of a reset (RFC 9112, 9.6).
 */
export function lingeringClose(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.end();
  socket.resume();
}

/** Header values are written in the style `simple`, the only one that headers have. */
function writeHeaders(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  const given = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), [value].flat().map(String).join(',')]));
}

function hasBigint(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return typeof value === 'bigint';
  return Object.values(value).some(hasBigint);
}

/** A copy of the value as the validator knows numbers. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === 'bigint') {
    if (!isInt64(value)) throw new InvalidResponse(`${String(value)} is not an int64`);
    return Number(value);
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutBigints);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, withoutBigints(member)]));
}
