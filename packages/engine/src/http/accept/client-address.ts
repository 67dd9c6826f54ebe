import { parametersOf } from '@contract-first/contract';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { compile } from 'proxy-addr';
import { isIP, isIPv6, SocketAddress } from 'node:net';

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Returns whether the headers Forwarded and X-Forwarded-* of an address are trusted.
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

// Proxies may append a port to an IPv4 address, or to an IPv6 address in brackets.
const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::(?:\d+|_[\w.-]+))?$/;
// A socket that listens on IPv6 reports IPv4 addresses as ::ffff:127.0.0.1.
const MAPPED = /^::ffff:(?=\d+\.)/;

/**
 * Creates a function that returns the client address of a request: the last address in X-Forwarded-For or Forwarded
 * that is not a trusted proxy, or else the address of the connection. An element that is not an address, such as
 * `unknown`, stands for the proxy that added it. The function returns `undefined` when the socket is closed.
 */
export function createClientAddress(trust: Trust): (req: Request) => string | undefined {
  return ({ headers, socket: { remoteAddress } }) => {
    if (remoteAddress === undefined || !trust(remoteAddress, 0)) return remoteAddress?.replace(MAPPED, '');
    return canonicalAddress(findClient(headers, trust).address ?? remoteAddress);
  };
}

/**
 * Returns the pairs that the outermost trusted proxy has added to Forwarded (RFC 7239), by name in lower case. Returns
 * an empty map for a request with X-Forwarded headers.
 */
export function forwardedPairs(headers: IncomingHttpHeaders, trust: Trust): ReadonlyMap<string, string> {
  return hasForwarded(headers) ? pairsOf(findClient(headers, trust).element) : new Map();
}

/** Whether Forwarded counts. Proxies that add X-Forwarded headers do not remove a Forwarded of the client. */
function hasForwarded(headers: IncomingHttpHeaders): boolean {
  return (
    headers.forwarded !== undefined &&
    ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host'].every((name) => headers[name] === undefined)
  );
}

type FoundClient = { readonly address: string | undefined; readonly element: string };

/** Finds the element of a forwarding header that the outermost trusted proxy has added, and the address of the client. */
function findClient(headers: IncomingHttpHeaders, trust: Trust): FoundClient {
  const isForwarded = hasForwarded(headers);
  const header = String((isForwarded ? headers.forwarded : headers['x-forwarded-for']) ?? '');
  let found: FoundClient = { address: undefined, element: '' };
  let hop = 1;
  for (const element of elementsFromEnd(header)) {
    const address = readAddress(isForwarded ? (pairsOf(element).get('for') ?? '') : element);
    found = { address: address ?? found.address, element };
    if (address === undefined || !trust(address, hop)) break;
    hop += 1;
  }
  return found;
}

/**
 * Yields the elements of a list from its end, since its start comes from the client. There, a quotation mark without a
 * pair must not hide the elements of proxies. Node joins the values of several fields.
 */
function* elementsFromEnd(list: string): Generator<string, void> {
  let quoted = ''; // The end of an element whose quoted string has commas.
  for (const piece of list.split(',').reverse()) {
    const hasWholeQuotes = piece.split('"').length % 2 === 1;
    const element = `${piece}${quoted}`.trim();
    quoted = hasWholeQuotes === (quoted === '') ? '' : `,${piece}${quoted}`;
    if (quoted === '' && element !== '') yield element; // RFC 9110, 5.6.1.2: empty elements are ignored.
  }
}

/** Parses an element of Forwarded: `for="[2001:db8::1]:4711";proto=https`. */
function pairsOf(element: string): ReadonlyMap<string, string> {
  return parametersOf(`;${element}`);
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
