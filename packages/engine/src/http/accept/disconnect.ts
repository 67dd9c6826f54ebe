import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Closes the connection of an incomplete response. Resets the connection if its end would delimit the body: after a
 * normal close, the client would consider the body complete (RFC 9112, 8).
 */
export function abortResponse(res: ServerResponse): void {
  if (res.headersSent && !res.writableFinished && !res.chunkedEncoding) resetConnection(res);
  res.destroy();
}

/** Resets the connection of a response. Destroys it if its end is already being sent. */
export function resetConnection({ socket }: ServerResponse): void {
  // libuv refuses a reset during a shutdown, and Node would never close the socket.
  if (socket?.writableEnded === true) socket.destroy();
  else socket?.resetAndDestroy();
}

/**
 * Calls back once if the client disconnects before its response is complete. A client that half-closes the connection
 * while it waits counts as disconnected, since TCP cannot distinguish the two; a client that half-closes right after
 * its request does not.
 *
 * @returns a function that removes the listeners
 */
export function onDisconnect(req: IncomingMessage, res: ServerResponse, callback: () => void): () => void {
  const end = (): void => {
    res.off('close', report);
    req.socket.off('end', report);
  };
  const report = (): void => {
    end();
    if (!res.writableFinished) callback();
  };
  res.on('close', report);
  req.socket.prependListener('end', report); // Before Node's listener, which may end the connection.
  if (res.destroyed) report();
  return end;
}
