import type { WireRequest } from './wire-request.ts';

// Headers for a single connection, not for the message (RFC 9110, 7.6.1).
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-connection|proxy-authenticate|proxy-authorization|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Returns the headers that a proxy forwards. Removes hop-by-hop headers and the headers that `Connection` lists. Keeps
 * Content-Length, since otherwise the body would be parsed as the next message.
 */
export function endToEndHeaders(pairs: WireRequest['headers']): WireRequest['headers'] {
  const named = pairs.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','));
  const ofConnection = new Set(named.map((name) => name.trim().toLowerCase()));
  ofConnection.delete('content-length');
  return pairs.filter(([name]) => !HOP_BY_HOP.test(name) && !ofConnection.has(name.toLowerCase()));
}
