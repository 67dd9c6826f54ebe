import type { IncomingMessage } from 'node:http';
import { compile } from 'proxy-addr';
import { isIP, isIPv6, SocketAddress } from 'node:net';

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Returns whether the X-Forwarded headers of an address are trusted.
 *
 * @param hop the number of proxies between the address and the service
 */
export type Trust = (address: string, hop: number) => boolean;

/**
 * Reads the trusted proxies: their number alone, or their addresses and subnets.
 *
 * @throws for an invalid address
 */
export function createTrust(proxies: readonly string[]): Trust {
  const [first = ''] = proxies;
  if (proxies.length === 1 && /^\d{1,2}$/.test(first)) return (_address, hop) => hop < Number(first);
  // proxy-addr would parse a number as an IPv4 address.
  if (proxies.some((proxy) => /^\d+$/.test(proxy))) throw new RangeError('a number of proxies must be alone');
  return compile([...proxies]);
}

// Some proxies append the port to an IPv4 address, or to an IPv6 address in brackets.
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/;
// A socket that listens on IPv6 reports IPv4 addresses as ::ffff:127.0.0.1.
const MAPPED = /^::ffff:(?=\d+\.)/;

/**
 * Creates a function that returns the client address of a request: the last address in X-Forwarded-For that is not a
 * trusted proxy, or else the address of the connection. An element that is not an address, such as `unknown`, stands
 * for the proxy that added it. The function returns `undefined` when the socket is closed.
 */
export function createClientAddress(trust: Trust): (req: Request) => string | undefined {
  return ({ headers, socket: { remoteAddress } }) => {
    if (remoteAddress === undefined || !trust(remoteAddress, 0)) return remoteAddress?.replace(MAPPED, '');
    const forwarded = String(headers['x-forwarded-for'] ?? ''); // Node joins the values of several fields.
    let client = remoteAddress;
    let hop = 1;
    for (let end = forwarded.length; end > 0;) {
      const start = forwarded.lastIndexOf(',', end - 1);
      const element = forwarded.slice(start + 1, end).trim();
      end = start;
      if (element === '') continue; // RFC 9110, 5.6.1.2.
      const address = readAddress(element);
      if (address === undefined) break;
      client = address;
      if (!trust(client, hop)) break;
      hop += 1;
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
 * Returns the canonical text of an address (RFC 5952), without a zone. Returns a new string: a slice would keep the
 * whole header in memory.
 */
function canonicalAddress(address: string): string {
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  return new SocketAddress({ address, family }).address.replace(MAPPED, '');
}
