import { Agent, request as requestHttp } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { WireRequest } from './wire-request.ts';

/** A response as received. */
export type WireResponse = {
  readonly status: number;
  /** In the order of arrival, names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** The time from sending the request to the end of the response. */
  readonly elapsedMs: number;
};

/** A client of one server. */
export type Connection = {
  /**
   * Sends a request unchanged; once more after the time that a 429 names in seconds, up to a minute.
   *
   * @throws {NoResponse} when no valid HTTP response arrives within 5 seconds
   */
  readonly send: (request: WireRequest) => Promise<WireResponse>;
  readonly close: () => void;
};

/** No valid HTTP response arrived; the message has the cause. */
export class NoResponse extends Error {
  /** Whether no connection could be established. */
  readonly isUnreachable: boolean;

  constructor(message: string, isUnreachable: boolean) {
    super(message);
    this.isUnreachable = isUnreachable;
  }
}

const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
const TIMEOUT_MS = 5_000;
const TOO_MANY_REQUESTS = 429;
const MAX_RETRY_AFTER_SECONDS = 60;
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'EACCES'];

/** Creates a client for the server of an http or https URL, with persistent connections. */
export function openConnection(baseUrl: URL): Connection {
  const isSecure = baseUrl.protocol === 'https:';
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const { hostname, port, host } = baseUrl;
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port, agent };

  const send = async (request: WireRequest): Promise<WireResponse> => {
    const response = await sendOnce(request);
    const [, delay] = response.headers.find(([name]) => name === 'retry-after') ?? [];
    const mayRetry = response.status === TOO_MANY_REQUESTS && Number(delay) <= MAX_RETRY_AFTER_SECONDS;
    if (!mayRetry) return response;
    await sleep(Number(delay) * 1_000);
    return sendOnce(request);
  };
  const sendOnce = async (request: WireRequest): Promise<WireResponse> => {
    try {
      return await attempt(request);
    } catch (error) {
      // A server may close an idle connection at any time, even while it is being reused (RFC 9112, 9.3.1).
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

  function attempt({ method, target, headers, body, hasWholeUrl = false }: WireRequest): Promise<WireResponse> {
    // Without Content-Length, Node would send an empty chunked body for all but these methods.
    const isChunked = headers.some(([name]) => name === 'Transfer-Encoding');
    const hasLength = !isChunked && (body !== undefined || !WITHOUT_BODY.includes(method));
    const length = hasLength ? [['Content-Length', String(body?.length ?? 0)]] : [];
    const fields = [['Host', host], ...headers, ...length].flat();
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      let hasResponse = false;
      const options = { ...address, method, path: hasWholeUrl ? baseUrl.origin + target : target, headers: fields };
      const outgoing = (isSecure ? requestHttps : requestHttp)(options, (response) => {
        hasResponse = true;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', fail);
        response.on('end', () => {
          const names = response.rawHeaders.filter((_, index) => index % 2 === 0);
          const pairs = names.map(
            (name, index) => [name.toLowerCase(), response.rawHeaders[2 * index + 1] ?? ''] as const,
          );
          resolve({
            status: response.statusCode ?? 0,
            headers: pairs,
            body: Buffer.concat(chunks),
            elapsedMs: performance.now() - startedAt,
          });
        });
      });
      const deadline = setTimeout(
        () => outgoing.destroy(new Error(`no response after ${String(TIMEOUT_MS)} ms`)),
        TIMEOUT_MS,
      );
      outgoing.on('error', fail).on('close', () => {
        clearTimeout(deadline);
      });
      outgoing.end(body);

      function fail(error: NodeJS.ErrnoException): void {
        const { code = '', message } = error;
        if (outgoing.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) reject(new StaleConnection());
        else if (hasResponse && code.startsWith('HPE_'))
          reject(new NoResponse(`bytes after the end of the response (${message})`, false));
        else reject(new NoResponse(message || code, UNREACHABLE.includes(code)));
      }
    });
  }
}

class StaleConnection extends Error {}
