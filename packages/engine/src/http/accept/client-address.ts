import { mediaTypeParameters } from '@contract-first/contract';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { compile } from 'proxy-addr';
import { isIP, isIPv6, SocketAddress } from 'node:net';

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Returns whether the headers Forwarded and X-Forwarded-* of an address are trusted.
 *
 * @param address `undefined` for a proxy whose address is unknown
 * @param hop the number of proxies between the address and the service
 */
export type ProxyTrust = (address: string | undefined, hop: number) => boolean;

/** The client of a request, as the trusted proxies name it. */
export type Client = {
  /** `undefined` when the socket is closed. */
  readonly address: string | undefined;
  /** Returns the scheme or the host of the client's request; '' if no trusted proxy names it. */
  readonly forwarded: (name: 'proto' | 'host') => string;
};

/**
 * Reads the trusted proxies: their number alone, or their addresses and subnets.
 *
 * @throws for an invalid address
 */
export function createProxyTrust(proxies: readonly string[]): ProxyTrust {
  const [first = ''] = proxies;
  if (proxies.length === 1 && /^\d{1,2}$/.test(first)) return (_address, hop) => hop < Number(first);
  // proxy-addr would parse a number as an IPv4 address.
  if (proxies.some((proxy) => /^\d+$/.test(proxy))) throw new RangeError('a number of proxies must be alone');
  const isTrusted = compile([...proxies]);
  return (address, hop) => address !== undefined && isTrusted(address, hop);
}

// Proxies may append a port to an IPv4 address, or to an IPv6 address in brackets.
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::(?:\d+|_[\w.-]+))?$/;
// A socket that listens on IPv6 reports IPv4 addresses as ::ffff:127.0.0.1.
const MAPPED = /^::ffff:(?=\d+\.)/;

const NOT_FORWARDED = (): string => '';

/**
 * Creates a function that reads the client of a request from the headers X-Forwarded-* or Forwarded (RFC 7239). In each
 * list, each proxy has appended one element. The element of the outermost trusted proxy counts, since the client has
 * sent the elements before it. An element that is not an address, such as `unknown`, stands for the proxy that added it.
 */
export function createClientReader(trust: ProxyTrust): (req: Request) => Client {
  return ({ headers, socket: { remoteAddress } }) => {
    if (remoteAddress === undefined || !trust(remoteAddress, 0))
      return { address: remoteAddress?.replace(MAPPED, ''), forwarded: NOT_FORWARDED };
    const listOf = createLists(headers);
    const nodes = listOf('for');
    const addressAt = (index: number): string | undefined => readAddress(nodes[index] ?? '');
    const outermost = (list: readonly string[]): number => {
      let hop = 1;
      while (hop < list.length && trust(addressAt(hop - 1), hop)) hop += 1;
      return hop - 1;
    };
    let index = outermost(nodes);
    while (index > 0 && addressAt(index) === undefined) index -= 1;
    return {
      address: canonicalAddress(addressAt(index) ?? remoteAddress),
      forwarded(name) {
        const list = listOf(name);
        return list[outermost(list)] ?? '';
      },
    };
  };
}

/** Creates the function that returns the forwarded values of a name, from the last one. */
function createLists(headers: IncomingHttpHeaders): (name: 'for' | 'proto' | 'host') => readonly string[] {
  const names = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'];
  // Proxies that add X-Forwarded headers do not remove a Forwarded of the client.
  if (headers.forwarded === undefined || names.some((name) => headers[name] !== undefined))
    return (name) => elementsFromEnd(String(headers[`x-forwarded-${name}`] ?? ''));
  // An element of Forwarded has pairs: `for="[2001:db8::1]:4711";proto=https`.
  const elements = elementsFromEnd(headers.forwarded).map((element) => mediaTypeParameters(`;${element}`));
  return (name) => elements.map((pairs) => pairs.get(name) ?? '');
}

/**
 * Returns the elements of a list from its end, since its start comes from the client. There, a quotation mark without a
 * pair must not hide the elements of proxies. Node joins the values of several fields.
 */
function elementsFromEnd(list: string): readonly string[] {
  const elements: string[] = [];
  let pieces: string[] = []; // Several if a quoted string of the element has commas.
  for (const piece of list.split(',').reverse()) {
    const isStart = pieces.push(piece) === 1;
    const hasWholeQuotes = piece.split('"').length % 2 === 1;
    if (hasWholeQuotes !== isStart) continue;
    const element = pieces.reverse().join(',').trim();
    pieces = [];
    if (element !== '') elements.push(element); // RFC 9110, 5.6.1.2: empty elements are ignored.
  }
  return elements;
}

/** Reads a node of a forwarding header. Returns `undefined` when it is not an address. */
function readAddress(node: string): string | undefined {
  const [, inBrackets, ipv4 = node] = WITH_PORT.exec(node) ?? [];
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
