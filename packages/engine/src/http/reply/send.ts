import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TimeSlices } from '@contract-first/contract';
import { addCors, indexOfField, type HeaderField } from '../accept/cors.ts';
import { cutResponse, onDisconnect } from '../accept/disconnect.ts';
import { requestIdOf } from '../accept/trace.ts';
import { discard } from '../read/bytes.ts';
import type { BodyStream } from './body-stream.ts';
import { withComments } from './keep-alive.ts';
import { isEventStream, type HandlerResponse, type Headers, type Response } from './response.ts';

// Only this module writes to a `ServerResponse` of the service.

// Fields that frame the message or control the connection (RFC 9110, 7.6.1). Only the engine writes them.
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
]);
// Fields that middleware may also have set.
const MERGED = ['set-cookie', 'vary'];
const NOT_ASCII = /[^\0-\x7F]/;
const NO_BYTES = new Uint8Array();
// How long a client may keep sending after its response.
const LINGER_MS = 1_500;
// Combines small chunks into larger writes, which take less time. A chunk waits at most one turn of the event loop.
const CHUNK_LENGTH = 8_192;
// A stream yields to others after this length. Yielding is rare, since data held meanwhile is garbage-collected late.
const TURN_LENGTH = 65_536;

/** Returns the headers of every response: no caching, no MIME sniffing, and the request id. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'x-request-id': requestId };
}

/** Sends 100 Continue. */
export function sendContinue(res: ServerResponse): void {
  res.writeContinue();
}

/** Sends a response. If the request is still arriving, the connection is closed after the response. */
export function send(req: IncomingMessage, res: ServerResponse, response: Response): void {
  const { status, headers, body } = response;
  if (res.headersSent || res.destroyed) return;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // RFC 9110, 8.6: no Content-Length for 204 and 304. A handler of HEAD may set the Content-Length of GET.
  const isBodyless = body === undefined && (status === 204 || status === 304);
  const headLength = body === undefined && req.method === 'HEAD' ? declaredLength(headers) : undefined;
  writeHead(req, res, response, isBodyless ? undefined : (headLength ?? length));
  if (req.complete || length === 0 || req.method === 'HEAD') {
    res.end(body);
    return;
  }
  // Not end(): Node would close the connection at once.
  res.write(body, () => {
    lingeringClose(req.socket);
  });
  // Middleware such as `compression` drops callbacks and buffers the body until end().
  const timer = setTimeout(() => res.end(), LINGER_MS).unref();
  res.once('close', () => {
    clearTimeout(timer);
  });
  void discard(req);
}

/** Options for sending streams. */
export type StreamSending = {
  /** The time slices that all streams share. */
  readonly slices: TimeSlices;
  /** How long a stream stays open while its client reads nothing. */
  readonly stallTimeoutMs: number;
  /** The time after which a quiet stream of events gets a comment; 0 for none. */
  readonly eventStreamQuietMs: number;
};

/**
 * Sends a response while its body is produced.
 *
 * @returns whether the whole response was sent
 * @throws the error of the source
 */
export async function sendStream(
  req: IncomingMessage,
  res: ServerResponse,
  response: Response<BodyStream>,
  sending: StreamSending,
): Promise<boolean> {
  const { body } = response;
  const isEvents = isEventStream(response.headers);
  // nginx would hold events back.
  const headers = isEvents ? { 'x-accel-buffering': 'no', ...response.headers } : response.headers;
  res.strictContentLength = true; // Throws for a wrong length, which would corrupt the next response.
  if (!res.destroyed) writeHead(req, res, { ...response, headers }, body.sizeBytes ?? declaredLength(headers));
  if (!req.complete) void discard(req);
  if (req.method === 'HEAD') {
    body.cancel();
    res.end();
    return true;
  }
  if (!isEvents) return writeStream(req, res, body, sending);
  res.flushHeaders(); // The client waits for the header, not for the first event.
  return writeStream(req, res, withComments(body, sending.eventStreamQuietMs), sending);
}

/** Returns the Content-Length that a handler has set. A longer stream is cut off. */
function declaredLength({ 'content-length': value }: Headers): number | undefined {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}

/** Writes the header of a response. @param length the Content-Length; `undefined` for none */
function writeHead(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers }: HandlerResponse,
  length: number | undefined,
): void {
  if (!req.complete) res.shouldKeepAlive = false;
  // Names and values alternate, since Node writes a list faster than an object.
  const fields: HeaderField[] = [];
  let isAscii = true;
  const common = commonHeaders(requestIdOf(req));
  for (const name in common) if (headers[name] === undefined) fields.push(name, common[name] ?? '');
  for (const name in headers) {
    if (FRAMING.has(name)) continue;
    const value = headers[name] as HeaderField;
    fields.push(name, value);
    if (NOT_ASCII.test(String(value))) isAscii = false;
  }
  if (length !== undefined) fields.push('content-length', String(length));
  addCors(req, fields);
  for (const name of MERGED) {
    const present = res.getHeader(name); // Set by middleware.
    const at = present === undefined ? -1 : indexOfField(fields, name);
    if (at !== -1) fields[at] = [present, fields[at]].flat().map(String);
  }
  res.writeHead(status, fields);
  // Forces Latin-1: Node would encode the header in UTF-8 together with a text body.
  if (!isAscii) res.write(NO_BYTES);
}

/**
 * Closes a connection in stages: stops sending but keeps reading, so that a client that is still sending a request
 * receives the response instead of a reset (RFC 9112, 9.6).
 */
export function lingeringClose(socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(timer);
  });
  socket.end();
  socket.resume();
}

/**
 * Writes a stream as the body of a response whose header has been written. Reads from the source only as fast as the
 * client reads. Cancels the source when the client disconnects or stalls. Closes the connection when the source fails,
 * so that the client detects the incomplete body.
 *
 * @returns whether the body was sent completely
 * @throws the error of the source
 */
async function writeStream(
  req: IncomingMessage,
  res: ServerResponse,
  stream: BodyStream,
  { slices, stallTimeoutMs }: StreamSending,
): Promise<boolean> {
  let text = '';
  let isBlocked = false;
  let isFlushScheduled = false;
  let wake: (() => void) | undefined;
  const gone = Promise.withResolvers<false>();
  const endWatch = onDisconnect(req, res, () => {
    stream.cancel();
    cutResponse(res);
    wake?.();
    gone.resolve(false);
  });
  // Middleware such as `compression` emits these events but never calls the callbacks of write() and end(). Its on()
  // returns another stream, so calls are not chained.
  res.on('drain', onDrain);
  res.on('finish', onFinish);
  try {
    return await Promise.race([writeAll(), gone.promise]); // The source may never settle.
  } catch (error) {
    stream.cancel();
    cutResponse(res);
    throw error;
  } finally {
    endWatch();
    res.off('drain', onDrain);
    res.off('finish', onFinish);
  }

  async function writeAll(): Promise<boolean> {
    let turnLength = 0;
    while (!res.destroyed) {
      const result = await stream.next();
      if (result.done === true) {
        res.end(takeText());
        await untilTaken(() => res.writableFinished);
        break;
      }
      const { value } = result;
      if (value.length > TURN_LENGTH) {
        flush();
        await writePieces(typeof value === 'string' ? Buffer.from(value) : value);
      } else if (typeof value === 'string') {
        text += value;
        scheduleFlush();
      } else {
        flush();
        write(value);
      }
      if (text.length >= CHUNK_LENGTH) flush();
      if (isBlocked) await untilTaken(() => !isBlocked);
      turnLength += value.length;
      const isTurnOver = turnLength >= TURN_LENGTH;
      if (isTurnOver) turnLength = 0;
      const turn = slices.wait(isTurnOver);
      if (turn !== undefined) await turn;
    }
    return res.writableFinished;
  }

  function takeText(): string {
    const taken = text;
    text = '';
    return taken;
  }

  function flush(): void {
    if (text !== '') write(takeText());
  }

  function write(chunk: string | Uint8Array): void {
    if (res.destroyed) return;
    if (!res.write(chunk)) isBlocked = true;
    scheduleFlush();
  }

  /** Flushes at the end of the turn, since the source may pause for long. */
  function scheduleFlush(): void {
    if (isFlushScheduled) return;
    isFlushScheduled = true;
    setImmediate(() => {
      flush();
      isFlushScheduled = false;
      if (!res.destroyed && !res.writableEnded) flushMiddleware(res);
    });
  }

  /** Writes bytes in pieces, so that the progress of a slow client is visible. */
  async function writePieces(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length && !res.destroyed; start += TURN_LENGTH) {
      write(bytes.subarray(start, start + TURN_LENGTH));
      if (isBlocked) await untilTaken(() => !isBlocked);
      await slices.wait(true);
    }
  }

  function onDrain(): void {
    isBlocked = false;
    wake?.();
  }

  function onFinish(): void {
    wake?.();
  }

  /** Waits until the client has read the written data or has disconnected. Disconnects a stalled client. */
  function untilTaken(isTaken: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      let hasSocket = res.socket !== null; // A pipelined response has no socket until earlier responses are sent.
      let { writableLength } = res;
      const timer = setInterval(() => {
        // A reset also frees the kernel's buffers.
        if (hasSocket && res.writableLength === writableLength) res.socket?.resetAndDestroy();
        hasSocket = res.socket !== null;
        ({ writableLength } = res);
      }, stallTimeoutMs);
      wake = () => {
        if (!isTaken() && !res.destroyed) return;
        clearInterval(timer);
        resolve();
      };
      wake();
    });
  }
}

/** Flushes the buffers of middleware such as `compression`. */
function flushMiddleware(res: ServerResponse & { readonly flush?: () => void }): void {
  res.flush?.();
}
