import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Tls } from '../options/tls.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const FETCH_MS = 10_000;

/** Returns whether a document name is a URL. */
export function isUrl(name: string): boolean {
  return /^https?:/.test(name);
}

/**
 * Fetches a URL of the local machine. Rejects other hosts, so that commands do not depend on the network.
 *
 * @param tls how an https server is verified; without it, only http URLs are fetched
 * @throws an error with the reason
 */
export async function fetchLocal(url: string, tls?: Tls): Promise<string> {
  const { protocol, hostname } = new URL(url);
  const isSecure = protocol === 'https:' && tls !== undefined;
  if (!LOOPBACK.test(hostname) || (protocol !== 'http:' && !isSecure))
    throw new Error(`${url} is not an http URL of this machine: download it, and name the file`);
  if (isSecure) return fetchSecurely(url, tls);
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) }).catch(
    (error: unknown) => {
      const { cause = error } = error as Error; // The message itself is only "fetch failed".
      throw cause;
    },
  );
  if (!response.ok) throw new Error(`${url} responded ${String(response.status)}`);
  return response.text();
}

/** Fetches an https URL with certificates, which Node's `fetch` cannot do. @throws an error with the reason */
export async function fetchSecurely(url: string, tls: Tls): Promise<string> {
  const { get } = await import('node:https'); // Needed for few documents.
  const request = get(url, { ...tls, signal: AbortSignal.timeout(FETCH_MS) });
  const [response] = (await once(request, 'response')) as [IncomingMessage]; // By `get`.
  if (response.statusCode !== 200) throw new Error(`${url} responded ${String(response.statusCode)}`);
  return text(response);
}
