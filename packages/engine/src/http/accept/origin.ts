import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Client } from './client-address.ts';
import { HOST } from './http-rules.ts';

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Returns the base URL at which the client of a request reaches the service: `https://api.example.com`. */
export type OriginOf = (req: Request, client: Client) => string;

/**
 * Creates the function that returns the base URL for a client. Without a public URL, uses the scheme and the host that
 * trusted proxies forward, or else the Host header, which the client chooses.
 */
export function createOrigin(publicUrl: string | undefined): OriginOf {
  if (publicUrl !== undefined) return () => publicUrl;
  return ({ headers, socket }, { forwarded }) => {
    const forwardedScheme = forwarded('proto').toLowerCase();
    const socketScheme = 'encrypted' in socket ? 'https' : 'http';
    const scheme = /^https?$/.test(forwardedScheme) ? forwardedScheme : socketScheme;
    const host = [forwarded('host'), headers.host ?? ''].find(isHost) ?? addressOf(socket);
    return `${scheme}://${host}`;
  };
}

/** Returns the local address of a connection, for HTTP/1.0 requests without a Host header. */
function addressOf({ localAddress = '', localPort = 0 }: IncomingMessage['socket']): string {
  return `${isIPv6(localAddress) ? `[${localAddress}]` : localAddress}:${String(localPort)}`;
}

/** Whether a text is a host name or an address with an optional port. */
function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}`);
}
