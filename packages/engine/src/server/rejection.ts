import type { Socket } from 'node:net';
import { nodeHttp } from '@contract-first/contract';
import type { PreparedResponse } from '../http/reply/response.ts';
import { commonHeaders } from '../http/reply/head.ts';
import { lingeringClose, sendFailure } from '../http/reply/send.ts';
import type { Connections } from './connections.ts';
import { Failure } from '../http/failure.ts';
import type { FailureResponse } from '../http/reply/failure-response.ts';
import type { Observer } from '../http/observer.ts';
import { createRequestId, requestIdOf } from '../http/accept/request-ids.ts';

// By error code of Node's parser (llhttp) and server. Other parse errors get a 400.
const FAILURES: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'the request line and the header fields are too large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'the chunk extensions are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'the request took too long to arrive'],
};

/**
 * Maps the error of a connection to the failure to send.
 *
 * @returns `undefined` when the connection itself is broken
 */
export function toConnectionFailure({ code = '', message }: NodeJS.ErrnoException): Failure | undefined {
  const known = FAILURES[code];
  if (known !== undefined) return new Failure(...known);
  const reason = message.replace(/^Parse Error: /, '');
  return code.startsWith('HPE_') ? new Failure(400, `the request is not valid HTTP/1.1: ${reason}`) : undefined;
}

/** An error of Node's parser, with the packet and the position of the error in it. */
type ParseError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer; readonly bytesParsed?: number };

/** Returns whether the packet of a malformed request has the start of a HEAD, whose response must not have a body. */
export function isMalformedHead({ rawPacket, bytesParsed }: ParseError): boolean {
  const methods = rawPacket?.toString('latin1', 0, bytesParsed).match(/^[A-Z]+(?= )/gm);
  return methods?.at(-1) === 'HEAD';
}

/** The responses to messages that do not reach the application, and the reports about them. */
export type Rejections = { readonly failureResponse: FailureResponse; readonly observer: Observer };

/**
 * Sends a failure after the pending responses of a connection, and closes the connection. If the body of a request is
 * malformed, the failure is the response to that request, and the request's listener reports it as answered.
 */
export function rejectConnection(
  connections: Connections,
  socket: Socket,
  failure: Failure,
  { failureResponse, observer }: Rejections,
  isHead: boolean,
): void {
  const response = failureResponse(failure);
  const reject = (requestId: string): void => {
    const { status } = response;
    if (status < 500) observer.rejected({ requestId, status, reason: failure.reason });
  };
  const last = connections.pending(socket).at(-1);
  if (last !== undefined && !last.req.complete) {
    reject(requestIdOf(last.req));
    sendFailure(last.req, last, response);
  } else
    connections.whenIdle(socket, () => {
      const requestId = createRequestId();
      const { remoteAddress: clientAddress } = socket;
      reject(requestId);
      const status = writeResponse(socket, response, requestId, isHead) ? response.status : undefined;
      observer.answered({ requestId, status, clientAddress });
    });
}

/**
 * Writes a response to a socket without a `ServerResponse`, and closes the connection.
 *
 * @returns whether the socket was writable
 */
export function writeResponse(socket: Socket, response: PreparedResponse, requestId: string, isHead = false): boolean {
  if (!socket.writable) return false;
  const { status, headers, body = '' } = response;
  const fields = {
    ...commonHeaders(requestId),
    ...headers,
    'content-length': Buffer.byteLength(body),
    Date: new Date().toUTCString(), // RFC 9110, 6.6.1
    Connection: 'close',
  };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((text) => `${name}: ${String(text)}\r\n`),
  );
  socket.write(
    `HTTP/1.1 ${String(status)} ${nodeHttp.STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${isHead ? '' : String(body)}`,
  );
  lingeringClose(socket);
  return true;
}
