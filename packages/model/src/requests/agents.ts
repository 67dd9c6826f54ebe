import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import process from 'node:process';
import type { Tls } from '@contract-first/command-line/options';
import { nodeHttp } from '@contract-first/contract';

const THIS_MACHINE = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Creates an agent for a server. It uses the proxy in `HTTP_PROXY` or `HTTPS_PROXY`, except for this machine and the
 * servers in `NO_PROXY`.
 *
 * @param keepAlive whether connections are reused
 */
export function createAgent({ protocol, hostname }: URL, tls: Tls, keepAlive: boolean): Agent {
  const proxy = THIS_MACHINE.test(hostname) ? {} : { proxyEnv: process.env };
  const options = { keepAlive, ...proxy };
  if (protocol === 'http:') return new nodeHttp.Agent(options);
  return new SecureAgent({ ...options, ...tls, ALPNProtocols: ['http/1.1'] }); // Servers refuse unknown protocols.
}

/** Returns Node's function `request` for the protocol of a server, with its address. */
export function requestTo({ protocol, hostname, port }: URL) {
  const request = protocol === 'https:' ? requestHttps : nodeHttp.request;
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port };
  return (options: RequestOptions, onResponse: (response: IncomingMessage) => void): ClientRequest =>
    request({ ...address, ...options }, onResponse);
}

const TLS_ALERT = '\u0015\u0003';
// The type of the first HTTP/2 frame follows its length (RFC 9113, 4.1).
const SETTINGS_OFFSET = 3;
const SETTINGS_TYPE = 4;
const UNTRUSTED = /^(?:SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(?:GET|VERIFY)|CERT_|ERR_TLS_CERT|HOSTNAME_MISMATCH)/;
const USE_HTTP2 = 'it speaks only HTTP/2, and checks use HTTP/1.1';

/** An error of a request, with the bytes that Node could not parse. */
type RequestError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

/**
 * Returns why a server cannot be used at all: its certificate, or a protocol other than HTTP/1.1; `undefined` for other
 * errors.
 */
export function protocolProblem({ code = '', message, rawPacket }: RequestError): string | undefined {
  if (UNTRUSTED.test(code)) {
    const [reason = ''] = message.split(';'); // Node adds a hint to use another option.
    return `its certificate is not trusted (${reason}): --ca FILE names its authority, and --insecure accepts it`;
  }
  if (/no.application.protocol/i.test(code + message)) return USE_HTTP2;
  if (/wrong.version.number|packet.length.too.long/i.test(code + message))
    return 'it does not speak TLS: use an http URL';
  if (code.startsWith('ERR_SSL_') || code === 'EPROTO')
    return `no TLS connection (${code}); a server that asks for a certificate needs --cert`;
  if (!code.startsWith('HPE_') || rawPacket === undefined) return undefined;
  const start = rawPacket.toString('latin1');
  if (start.startsWith('HTTP/')) return undefined;
  if (start.startsWith(TLS_ALERT)) return 'it speaks TLS: use an https URL';
  return rawPacket[0] === 0 && rawPacket[SETTINGS_OFFSET] === SETTINGS_TYPE ? USE_HTTP2 : 'it does not speak HTTP';
}
