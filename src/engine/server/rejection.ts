import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { failureResponse, lingeringClose, commonHeaders, send } from '../http/response.ts';
import type { Connections } from './connections.ts';
import { Failure } from '../http/failure.ts';
import type { Observer } from '../http/observer.ts';

/** An error of a connection; those of Node's parser have the packet and the position in it. */
type ConnectionError = NodeJS.ErrnoException & { readonly bytesParsed?: number; readonly rawPacket?: Buffer };

// By error code of Node's parser (llhttp) and server.
const FAILURES: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the request line and the header fields are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are too large'],
  HPE_INVALID_METHOD: [400, 'the request line is not valid'],
  HPE_INVALID_URL: [400, 'the request target is not valid'],
  HPE_INVALID_HEADER_TOKEN: [400, 'a header field is not valid'],
  HPE_INVALID_CONTENT_LENGTH: [400, 'Content-Length is not valid, or is sent with Transfer-Encoding'],
  HPE_UNEXPECTED_CONTENT_LENGTH: [400, 'send only one Content-Length'],
  HPE_INVALID_TRANSFER_ENCODING: [400, 'Transfer-Encoding is not valid, or is sent with Content-Length'],
  HPE_INVALID_CHUNK_SIZE: [400, 'a chunk is not valid'],
  HPE_INVALID_EOF_STATE: [400, 'the request ended early'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
};

// The rest of an otherwise valid request line, from the position in the method (RFC 9112, 3; RFC 9110, 5.6.2).
const REST_OF_REQUEST_LINE = /^[\w!#$%&'*+\-.^`|~]* \S+ HTTP\/1\.[01]\r\n/;
const OTHER_VERSION = /HTTP\/(?!1\.[01])\d\.\d\r\n/;
const VERSION_LENGTH = 'HTTP/1.1\r\n'.length;

/**
 * Maps the error of a connection to the failure to send.
 *
 * @returns `undefined` when the connection itself is broken
 */
export function toConnectionFailure({ code = '', bytesParsed = 0, rawPacket }: ConnectionError): Failure | undefined {
  const around = (before: number, after?: number): string =>
    rawPacket?.toString('latin1', Math.max(0, bytesParsed - before), after && bytesParsed + after) ?? '';
  if (code === 'HPE_INVALID_METHOD' && REST_OF_REQUEST_LINE.test(around(0))) {
    return new Failure(501, 'this method is not supported'); // RFC 9110, 9.1
  }
  if (code === 'HPE_INVALID_VERSION' && OTHER_VERSION.test(around(VERSION_LENGTH, VERSION_LENGTH))) {
    return new Failure(505, 'use HTTP/1.1');
  }
  const [status, message] = FAILURES[code] ?? [400, 'the request is not valid HTTP/1.1'];
  return code in FAILURES || code.startsWith('HPE_') ? new Failure(status, message) : undefined;
}

/**
 * Sends a failure after the pending responses of a connection, and closes the connection. When the body of a request
 * failed, the failure is the response to that request.
 *
 * @param observer receives only failures without a request; the listener of a request reports its own response
 */
export function rejectConnection(connections: Connections, socket: Socket, failure: Failure, observer: Observer): void {
  const last = connections.lastPending(socket);
  if (last !== undefined && !last.req.complete) send(last.req, last, failureResponse(failure));
  else
    connections.whenIdle(socket, () => {
      const requestId = randomUUID();
      const { remoteAddress: clientAddress } = socket;
      const status = writeFailure(socket, failure, requestId) ? failure.status : undefined;
      observer.answered({ requestId, status, clientAddress });
    });
}

/**
 * Writes a failure to a socket without a `ServerResponse`, and closes the connection.
 *
 * @returns whether the socket was writable
 */
export function writeFailure(socket: Socket, failure: Failure, requestId: string): boolean {
  if (!socket.writable) return false;
  const { status, headers, body = '' } = failureResponse(failure);
  const fields = {
    ...commonHeaders(requestId),
    ...headers,
    'content-length': Buffer.byteLength(body),
    Date: new Date().toUTCString(), // RFC 9110, 6.6.1
    Connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${String(value)}\r\n`);
  socket.write(`HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${String(body)}`);
  lingeringClose(socket);
  return true;
}
