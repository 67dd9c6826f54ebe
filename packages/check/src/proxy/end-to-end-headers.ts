type Pairs = readonly (readonly [name: string, value: string])[];

// They concern one connection, not the message (RFC 9110, 7.6.1).
const HOP_BY_HOP =
  /^(?:connection|keep-alive|proxy-connection|proxy-authenticate|proxy-authorization|te|trailer|transfer-encoding|upgrade)$/i;

/**
 * Returns the headers that a proxy forwards. Others concern one connection, such as the headers that `Connection` names.
 * Content-Length stays: without it, a body would be taken for the next message.
 */
export function endToEndHeaders(rawHeaders: readonly string[]): Pairs {
  const pairs = pairsOf(rawHeaders);
  const named = pairs.filter(([name]) => name.toLowerCase() === 'connection').flatMap(([, value]) => value.split(','));
  const ofConnection = new Set(named.map((name) => name.trim().toLowerCase()));
  ofConnection.delete('content-length');
  return pairs.filter(([name]) => !HOP_BY_HOP.test(name) && !ofConnection.has(name.toLowerCase()));
}

function pairsOf(rawHeaders: readonly string[]): Pairs {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[2 * index + 1] ?? ''] as const);
}
