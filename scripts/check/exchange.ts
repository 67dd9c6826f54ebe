import { Agent, request as requestHttp } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import type { WireRequest } from './wire-request.ts';

/** What came back. */
export type Answer = {
  readonly status: number;
  /** In the order of arrival, names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
};

/** A server that requests are sent to. */
export type Connection = {
  /**
   * Sends a request as it is.
   *
   * @throws {NoAnswer} when the server does not give an answer that is HTTP, in time
   */
  readonly send: (request: WireRequest) => Promise<Answer>;
  readonly close: () => void;
};

/** The server gave no answer; the message says how. */
export class NoAnswer extends Error {
  /** Whether nobody listens there. */
  readonly isUnreachable: boolean;

  constructor(message: string, isUnreachable: boolean) {
    super(message);
    this.isUnreachable = isUnreachable;
  }
}

const PATIENCE_MS = 5_000;
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'EACCES'];

/** Connects to the server of an http or https address; connections are kept and used again. */
export function openConnection(baseUrl: URL): Connection {
  const isSecure = baseUrl.protocol === 'https:';
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const { hostname, port, host } = baseUrl;
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port, agent };

  const send = async (request: WireRequest): Promise<Answer> => {
    try {
      return await attempt(request);
    } catch (error) {
      // A server may close a kept connection at any time, also just as it is used again (RFC 9112, 9.3.1).
      if (error instanceof StaleConnection) return attempt(request);
      throw error;
    }
  };
  return {
    send,
    close: () => {
      agent.destroy();
    },
  };

  function attempt({ method, target, headers, body }: WireRequest): Promise<Answer> {
    // Without a length, Node would send an empty chunked body where there is none.
    const hasLength = body !== undefined || ['POST', 'PUT', 'PATCH'].includes(method);
    const length = hasLength ? [['Content-Length', String(body?.length ?? 0)]] : [];
    const fields = [['Host', host], ...headers, ...length].flat();
    return new Promise((resolve, reject) => {
      const options = { ...address, method, path: target, headers: fields };
      const sent = (isSecure ? requestHttps : requestHttp)(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail);
        response.on('end', () => {
          const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
          const pairs = names.map(
            (name, index) => [name.toLowerCase(), response.rawHeaders[2 * index + 1] ?? ''] as const,
          );
          resolve({ status: response.statusCode ?? 0, headers: pairs, body: Buffer.concat(chunks) });
        });
      });
      const deadline = setTimeout(
        () => sent.destroy(new Error(`no answer after ${String(PATIENCE_MS)} ms`)),
        PATIENCE_MS,
      );
      sent.on('error', fail).on('close', () => {
        clearTimeout(deadline);
      });
      sent.end(body);

      function fail(error: NodeJS.ErrnoException): void {
        const { code = '', message } = error;
        if (sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) reject(new StaleConnection());
        else reject(new NoAnswer(message || code, UNREACHABLE.includes(code)));
      }
    });
  }
}

class StaleConnection extends Error {}
