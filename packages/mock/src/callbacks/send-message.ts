import { lookup as resolveName } from 'node:dns';
import { once } from 'node:events';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { finished } from 'node:stream/promises';
import type { Message } from './message.ts';

const TIME_LIMIT_MS = 5_000;

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Sends a message and ignores the body of its response. Redirects are not followed.
 *
 * @param hosts may have any address; others must be of this machine
 * @returns the status of the response
 * @throws an error with the reason why there is none
 */
export async function sendMessage(
  url: URL,
  { method, headers, body }: Message & { readonly method: string },
  hosts: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<number> {
  if (!/^https?:$/.test(url.protocol)) throw new Error(`${url.protocol} is not http: or https:`);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const assertAllowed = (address: string): void => {
    if (!hosts.has(host) && !isLoopback(address))
      throw new Error(`${host} is not of this machine; allow it with --callback-host ${host}`);
  };
  if (isIP(host) !== 0) assertAllowed(host); // Node resolves names only.
  // Checks the address that is connected to: a second resolution may give another one.
  const lookup: LookupFunction = (name, options, callback) => {
    resolveName(name, options, (error, address, family) => {
      try {
        const found = error === null ? [address].flat() : [];
        for (const one of found) assertAllowed(typeof one === 'string' ? one : one.address);
        callback(error, address, family);
      } catch (refusal) {
        callback(refusal as Error, address, family); // As thrown above.
      }
    });
  };
  const limit = AbortSignal.timeout(TIME_LIMIT_MS);
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const request = send(url, { method, headers, lookup, agent: false, signal: AbortSignal.any([limit, signal]) });
  request.on('error', () => undefined); // Also after the response.
  try {
    request.end(body);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await finished(response.resume());
    return response.statusCode ?? 0;
  } catch (error) {
    if (limit.aborted) throw new Error(`no response within ${String(TIME_LIMIT_MS)} ms`, { cause: error });
    const { message, code } = error as NodeJS.ErrnoException; // Nothing else is emitted.
    throw new Error(message === '' ? code : message, { cause: error }); // Of several addresses, the message is empty.
  } finally {
    request.destroy();
  }
}

function isLoopback(address: string): boolean {
  return LOOPBACK.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
}
