import type { IncomingMessage } from 'node:http';
import { isIP, isIPv6, SocketAddress } from 'node:net';

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Whether the X-Forwarded headers of an address are believed; `proxy-addr` compiles it. */
export type Trust = (address: string, hop: number) => boolean;

// Proxies add the port to an IPv4 address, or to an IPv6 address in brackets.
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;
// A socket that listens on IPv6 reports IPv4 addresses as ::ffff:127.0.0.1.
const MAPPED = /^::ffff:(?=\d+\.)/;

/**
 * Creates a function that returns the last address in X-Forwarded-For that is not a trusted proxy, or else the address of
 * the connection; a closed socket has none. An element that is not an address, such as `unknown`, counts as the proxy that has
 * added it.
 */
export function createClientAddress(trust: Trust): (req: Request) => string | undefined {
  return ({ headers, socket: { remoteAddress } }) => {
    if (remoteAddress === undefined || !trust(remoteAddress, 0)) return remoteAddress?.replace(MAPPED, '');
    const forwarded = String(headers['x-forwarded-for'] ?? ''); // Node joins the values of several fields.
    let client = remoteAddress;
    for (let end = forwarded.length; end > 0;) {
      const start = forwarded.lastIndexOf(',', end - 1);
      const element = forwarded.slice(start + 1, end).trim();
      end = start;
      if (element === '') continue; // RFC 9110, 5.6.1.2.
      const address = readAddress(element);
      if (address === undefined) break;
      client = address;
      if (!trust(client, 0)) break;
    }
    return canonicalAddress(client);
  };
}

/** Reads an element of X-Forwarded-For. Returns `undefined` when it is not an address. */
function readAddress(element: string): string | undefined {
  const [, inBrackets, ipv4 = element] = WITH_PORT.exec(element) ?? [];
  const address = inBrackets ?? ipv4;
  return isIP(address) === 0 ? undefined : address;
}

/**
 * Returns the only spelling of an address (RFC 5952), without a zone. It does not share the memory of a header, as a part
 * of one would.
 */
function canonicalAddress(address: string): string {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return new SocketAddress({ address, family }).address.replace(MAPPED, '');
}
