import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { abortResponse } from '../accept/disconnect.ts';
import { discard } from '../read/bytes.ts';
import { declaredLength, writeHead } from './head.ts';
import type { PreparedResponse } from './response.ts';

// How long a client may keep sending after its response.
const LINGER_MS = 1_500;
// Whole responses whose requests are still arriving.
const lingering = new WeakSet<ServerResponse>();

/** Sends 100 Continue. */
export function sendContinue(res: ServerResponse): void {
  res.writeContinue();
}

/** Sends a response. If the request is still arriving, the connection is closed after the response. */
export function send(req: IncomingMessage, res: ServerResponse, response: PreparedResponse): void {
  const { status, headers, body } = response;
  if (res.writableEnded || res.destroyed || lingering.has(res)) return;
  if (res.headersSent) {
    abortResponse(res); // Middleware has begun another response, which cannot be completed. Express does the same.
    return;
  }
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // RFC 9110, 8.6: no Content-Length for 204 and 304. A handler of HEAD may set the Content-Length of GET.
  const isBodyless = body === undefined && (status === 204 || status === 304);
  const headLength = body === undefined && req.method === 'HEAD' ? declaredLength(headers) : undefined;
  writeHead(req, res, response, isBodyless ? undefined : (headLength ?? length));
  if (req.complete || length === 0 || req.method === 'HEAD') {
    res.end(body);
    return;
  }
  lingering.add(res);
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

/**
 * Sends the response for an error. Closes the connection if this also fails, for example because middleware has set an
 * invalid reason phrase.
 */
export function sendFailure(req: IncomingMessage, res: ServerResponse, response: PreparedResponse): void {
  try {
    send(req, res, response);
  } catch {
    abortResponse(res);
  }
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
