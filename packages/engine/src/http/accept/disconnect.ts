import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Closes the connection of an incomplete response. Resets the connection if its end would delimit the body: after a
 * normal close, the client would consider the body complete (RFC 9112, 8).
 */
export function cutResponse(res: ServerResponse): void {
  if (res.headersSent && !res.writableFinished && !res.chunkedEncoding) res.socket?.resetAndDestroy();
  res.destroy();
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
  req.socket.on('end', report);
  if (res.destroyed) report();
  return end;
}
