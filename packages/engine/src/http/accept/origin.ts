import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { forwardedPairs, type Trust } from './client-address.ts';
import { HOST } from './http-rules.ts';

type Request = Pick<IncomingMessage, 'headers' | 'socket'>;

/**
 * Creates a function that returns the base URL at which the client of a request reaches the service:
 * `https://api.example.com`. Without a public URL, uses the first values of X-Forwarded-Proto and X-Forwarded-Host, or
 * `proto` and `host` of Forwarded, if they come from a trusted proxy. Otherwise uses the Host header, which the client
 * chooses.
 */
export function createOrigin(publicUrl: string | undefined, trust: Trust): (req: Request) => string {
  if (publicUrl !== undefined) return () => publicUrl;
  return ({ headers, socket }) => {
    const isTrusted = socket.remoteAddress !== undefined && trust(socket.remoteAddress, 0);
    const pairs = isTrusted ? forwardedPairs(headers, trust) : undefined;
    const forwarded = (name: string): string => {
      const value = isTrusted ? headers[`x-forwarded-${name}`]?.toString().split(',', 1)[0]?.trim() : undefined;
      return value ?? pairs?.get(name) ?? '';
    };
    const scheme = forwarded('proto').toLowerCase();
    const own = 'encrypted' in socket ? 'https' : 'http';
    const host = [forwarded('host'), headers.host ?? ''].find(isHost) ?? addressOf(socket);
    return `${/^https?$/.test(scheme) ? scheme : own}://${host}`;
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
