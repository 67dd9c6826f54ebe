import { Agent, request as requestHttp } from 'node:http';
import { Agent as SecureAgent, request as requestHttps } from 'node:https';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
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
   * Sends a request unchanged; once more after the time that a 429 names in seconds, up to a minute. An idempotent request
   * is also sent once more when a connection that had been used before is closed without a byte of a response.
   *
   * @throws {NoResponse} when no valid and whole HTTP response arrives within 5 seconds
   */
  readonly send: (request: WireRequest) => Promise<WireResponse>;
  readonly close: () => void;
};

/** No valid HTTP response arrived; the message has the cause. */
export class NoResponse extends Error {
  /** Whether no connection could be established. */
  readonly isUnreachable: boolean;
  /** The bytes of the response that arrived. */
  readonly received: Buffer;

  constructor(message: string, isUnreachable: boolean, received: Buffer) {
    super(message);
    this.isUnreachable = isUnreachable;
    this.received = received;
  }
}

/** The methods of requests that change nothing (RFC 9110, 9.2.1). */
export const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];
/** The methods of requests that may be carried out twice (RFC 9110, 9.2.2). */
const IDEMPOTENT = [...SAFE_METHODS, 'PUT', 'DELETE'];
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
  const address = { hostname: hostname.replace(/^\[|\]$/g, ''), port };

  const send = async (request: WireRequest): Promise<WireResponse> => {
    const response = await sendOnce(request);
    const [, delay] = response.headers.find(([name]) => name === 'retry-after') ?? [];
    const mayRetry = response.status === TOO_MANY_REQUESTS && Number(delay) <= MAX_RETRY_AFTER_SECONDS;
    if (!mayRetry) return response;
    await sleep(Number(delay) * 1_000);
    return sendOnce(request);
  };
  const sendOnce = async (request: WireRequest): Promise<WireResponse> => {
    // Node sees that an idle connection was closed in the next turn of the event loop, and then opens another one.
    await nextTurn();
    await nextTurn();
    try {
      return await attempt(request, agent);
    } catch (error) {
      if (error instanceof StaleConnection && IDEMPOTENT.includes(request.method)) return attempt(request, false);
      throw error;
    }
  };
  return {
    send,
    close: () => {
      agent.destroy();
    },
  };

  /** @param from the agent with the connections to use, or `false` for a new connection */
  function attempt(request: WireRequest, from: Agent | false): Promise<WireResponse> {
    const { method, target, headers, body, hasWholeUrl = false } = request;
    // Without Content-Length, Node would send an empty chunked body for all but these methods.
    const isChunked = headers.some(([name]) => name === 'Transfer-Encoding');
    const hasLength = !isChunked && (body !== undefined || !WITHOUT_BODY.includes(method));
    const length = hasLength ? [['Content-Length', String(body?.length ?? 0)]] : [];
    const fields = [['Host', host], ...headers, ...length].flat();
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const received: Buffer[] = [];
      let hasResponse = false;
      const path = hasWholeUrl ? baseUrl.origin + target : target;
      const options = { ...address, agent: from, method, path, headers: fields };
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
      const collect = (chunk: Buffer): void => void received.push(chunk);
      outgoing.on('error', fail).on('socket', (socket) => {
        socket.on('data', collect);
        outgoing.on('close', () => {
          socket.off('data', collect);
        });
      });
      outgoing.on('close', () => {
        clearTimeout(deadline);
      });
      outgoing.end(body);

      function fail(error: NodeJS.ErrnoException): void {
        const { code = '', message } = error;
        const isClosed = code === 'ECONNRESET' || code === 'EPIPE';
        const bytes = Buffer.concat(received);
        const isBehindEnd = hasResponse && code.startsWith('HPE_');
        const cause = isClosed ? 'the connection was closed' : message || code;
        const isStale = isClosed && outgoing.reusedSocket && bytes.length === 0;
        reject(
          new (isStale ? StaleConnection : NoResponse)(
            isBehindEnd ? `bytes after the end of the response (${cause})` : cause,
            UNREACHABLE.includes(code),
            bytes,
          ),
        );
      }
    });
  }
}

/** A server may close an idle connection at any time, even while it is being reused (RFC 9112, 9.3.1). */
class StaleConnection extends NoResponse {}
