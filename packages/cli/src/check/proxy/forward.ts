import { request as requestHttp, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { RecordedExchange } from '../recorded/recorded-exchange.ts';
import { endToEndHeaders } from './end-to-end-headers.ts';
import { hasBody, openPassage } from './passage.ts';

/** Receives the outcome of each request to a proxy. */
export type PassageEvents = {
  readonly onExchange: (exchange: RecordedExchange) => void;
  /** A request got no response of the service, for a reason that is not a fault of the service. */
  readonly onSkip: (reason: string) => void;
};

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ETIMEDOUT'];
const CLOSED = ['ECONNRESET', 'EPIPE'];
// Without Content-Length, Node would send an empty chunked body for all but these methods.
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

/**
 * Creates a listener that forwards requests to a service, and its responses to the client, as they arrive. Each request has a
 * connection of its own, since a service may close an idle one at any time.
 */
export function createForwarder(service: URL, { onExchange, onSkip }: PassageEvents): RequestListener {
  const { protocol, hostname, port, host } = service;
  const send = protocol === 'https:' ? requestHttps : requestHttp;
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port };
  let count = 0;

  return (incoming, outgoing) => {
    if (/^websocket$/i.test(incoming.headers.upgrade ?? '')) {
      onSkip('WebSockets, which the proxy answers 501');
      answer(outgoing, 501, 'contract-first proxy does not forward WebSockets\n');
      return;
    }
    const { method = 'GET', url = '/' } = incoming;
    const target = url.replace(/^https?:\/\/[^/?#]*/i, '') || '/';
    const passage = openPassage(incoming, target, (count += 1));
    let isOver = false;
    const end = (report: () => void): void => {
      if (!isOver) report();
      isOver = true;
    };
    const fail = ({ code = '', message }: NodeJS.ErrnoException): void => {
      const cause = CLOSED.includes(code) ? 'the connection was closed' : message || code;
      end(() => {
        if (UNREACHABLE.includes(code)) onSkip(`requests while the service was not reachable (${cause})`);
        else onExchange(passage.finish(cause));
      });
      if (outgoing.headersSent) outgoing.destroy();
      else answer(outgoing, 502, `contract-first proxy: no response of the service at ${host}: ${cause}\n`);
    };
    try {
      const options = { ...address, agent: false, method, path: target, headers: fieldsOf(incoming, host) };
      const upstream = send(options, (response) => {
        passage.respond(response);
        response.on('error', fail).on('end', () => {
          end(() => {
            onExchange(passage.finish(undefined));
          });
        });
        try {
          passOn(response, outgoing);
        } catch (error) {
          upstream.destroy(error as Error); // Node refuses some characters of header fields.
        }
      });
      upstream.on('error', fail);
      incoming.pipe(upstream);
      outgoing.on('close', () => {
        if (outgoing.writableFinished) return;
        end(() => {
          onSkip('requests that the client has aborted');
        });
        upstream.destroy();
      });
    } catch (error) {
      isOver = true;
      onSkip('requests that cannot be forwarded');
      answer(outgoing, 400, `contract-first proxy cannot forward this: ${(error as Error).message}\n`); // As thrown by Node.
    }
  };
}

/** Returns the header fields of a request to the service. It has the service's own name, as without a proxy. */
function fieldsOf(incoming: IncomingMessage, host: string): string[] {
  const { method = 'GET', rawHeaders, headers } = incoming;
  // The server of the proxy has sent 100 Continue itself.
  const forwarded = endToEndHeaders(rawHeaders).filter(([name]) => !/^(?:host|expect)$/i.test(name));
  const isChunked = headers['transfer-encoding'] !== undefined;
  const isEmpty = !hasBody(incoming) && !WITHOUT_BODY.includes(method);
  const framing = isChunked ? ['Transfer-Encoding', 'chunked'] : isEmpty ? ['Content-Length', '0'] : [];
  return ['Host', host, ...forwarded.flat(), ...framing, 'Connection', 'close'];
}

function passOn(response: IncomingMessage, outgoing: ServerResponse): void {
  const { statusCode = 0, statusMessage, rawHeaders } = response;
  outgoing.sendDate = false;
  outgoing.writeHead(statusCode, statusMessage, endToEndHeaders(rawHeaders).flat());
  outgoing.flushHeaders();
  response.pipe(outgoing);
}

function answer(outgoing: ServerResponse, status: number, text: string): void {
  outgoing.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(text);
}
