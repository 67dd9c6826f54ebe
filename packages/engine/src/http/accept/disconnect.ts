import type { IncomingMessage, ServerResponse } from 'node:http';

/**
 * Closes the connection of an incomplete response. Where only its end would end the body, the connection is reset, since
 * the client would take the part for the whole (RFC 9112, 8).
 */
export function cutResponse(res: ServerResponse): void {
  if (res.headersSent && !res.writableFinished && !res.chunkedEncoding) res.socket?.resetAndDestroy();
  res.destroy();
}

/**
 * Calls back once if the client disconnects before its response is complete. A client that closes its side of the
 * connection while it waits counts as disconnected, since TCP makes no difference; one that has closed it with its
 * request does not.
 *
 * @returns a function that ends the watch
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
