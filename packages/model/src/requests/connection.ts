import type { Agent, IncomingMessage } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Tls } from '@contract-first/command-line/options';
import { describeSystemError, sequenceKindOf } from '@contract-first/contract';
import { createAgent, protocolProblem, requestTo } from './agents.ts';
import { isChunked, type WireRequest } from './wire-request.ts';
import { type Excerpt, EXCERPT_BYTES, excerptOf, type WireResponse } from './wire-response.ts';

/** A client of one server. */
export type Connection = {
  /**
   * Sends a request unchanged. After a 429 or 503 with `Retry-After`, all requests wait, up to a minute, and the
   * request is repeated, up to three times. If a reused connection closes before the first byte of a response, the
   * request is repeated once on a new connection; from then on, only idempotent requests reuse connections, so that
   * other requests are hardly ever sent twice. If the repetition gets a 503, the request has stopped the server, and
   * counts as unanswered. Responses above the size limit are truncated, and sequences such as event streams, which may
   * never end, after a quarter of a second.
   *
   * @param mayWait decides about each wait; if it returns false, the response is returned at once
   * @throws {NoResponse} if no valid HTTP response arrives within 5 seconds
   */
  readonly send: (request: WireRequest, mayWait?: MayWait) => Promise<WireResponse>;
  /** Sends a request and ignores `Retry-After`. @throws {NoResponse} */
  readonly sendOnce: (request: WireRequest) => Promise<WireResponse>;
  /** Returns the total wait because of `Retry-After`. */
  readonly heldMs: () => number;
  readonly close: () => void;
};

/** Returns whether the requests may wait because of `Retry-After`. */
export type MayWait = (delayMs: number) => boolean;

export type ConnectionOptions = {
  /** The size limit of a response, including headers and chunk framing. */
  readonly maxResponseBytes?: number | undefined;
  /** The maximum number of requests per second; unlimited by default. */
  readonly rate?: number | undefined;
  readonly tls?: Tls | undefined;
  /** Aborts all requests. */
  readonly signal?: AbortSignal | undefined;
};

/** No valid HTTP response arrived. The message contains the cause. */
export class NoResponse extends Error {
  /** Whether no connection could be established. */
  readonly isUnreachable: boolean;
  /** Whether an earlier request got no response, and the requests since then no response or a 503. */
  readonly isRepeated: boolean;
  /** Why the server cannot be used at all, such as its certificate. */
  readonly problem: string | undefined;
  /** The received bytes of the response. */
  readonly received: Excerpt;
  /** The time from sending the request to its failure. */
  readonly elapsedMs: number;

  constructor(
    message: string,
    fields: Pick<NoResponse, 'isUnreachable' | 'isRepeated' | 'problem' | 'received' | 'elapsedMs'>,
  ) {
    super(message);
    ({
      isUnreachable: this.isUnreachable,
      isRepeated: this.isRepeated,
      problem: this.problem,
      received: this.received,
      elapsedMs: this.elapsedMs,
    } = fields);
  }
}

/** The safe methods (RFC 9110, 9.2.1). */
export const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];
/** The idempotent methods (RFC 9110, 9.2.2). */
const IDEMPOTENT = [...SAFE_METHODS, 'PUT', 'DELETE'];
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'];
/** The time limit of each response. */
export const TIMEOUT_MS = 5_000;
/** The message of {@link NoResponse} after the time limit. */
export const TIME_OUT = `time-out after ${String(TIMEOUT_MS)} ms`;
/** The time limit for reading a sequence. */
const SEQUENCE_MS = 250;
const DEFAULT_MAX_RESPONSE_BYTES = 16_777_216;
// More than one, since all workers resume at the same time and may exceed the limit again.
const MAX_RETRIES = 3;
const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'EACCES'];

/** Creates a client for the server of an http or https URL, with persistent connections. */
export function openConnection(
  baseUrl: URL,
  { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES, rate, tls = {}, signal }: ConnectionOptions = {},
): Connection {
  const agent = createAgent(baseUrl, tls, true);
  const fresh = createAgent(baseUrl, tls, false);
  const begin = requestTo(baseUrl);
  const throttle = createThrottle(rate, signal);
  let isClosing = false; // Whether the server has closed a reused connection.
  let isLost = false; // Whether a request got no response, and the requests since then no response or a 503.

  const send: Connection['send'] = async (request, mayWait = () => true) => {
    for (let retries = 0; ; retries += 1) {
      const response = await sendOnce(request); // Throws if the signal ended the wait.
      const delayMs = retryDelayMs(response);
      if (delayMs === undefined || !mayWait(delayMs)) return response;
      throttle.hold(delayMs);
      if (retries === MAX_RETRIES) return response;
    }
  };
  const sendOnce = async (request: WireRequest): Promise<WireResponse> => {
    await throttle.pass();
    // In the next turn of the event loop, Node detects closed idle connections and opens new ones.
    await nextTurn();
    await nextTurn();
    // A server that does not support chunked bodies would parse the chunks as the next request, and the body that a
    // server sends after HEAD would be parsed as the next response.
    const isSeparate = isChunked(request) || request.method === 'HEAD';
    const mayReuse = (!isClosing || IDEMPOTENT.includes(request.method)) && !isSeparate;
    try {
      return await attempt(request, mayReuse ? agent : fresh);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      isClosing = true;
      const again = await attempt(request, fresh);
      if (again.status !== UNAVAILABLE) return again;
      isLost = true; // The request has stopped the server, which is restarting.
      throw error;
    }
  };
  return {
    send,
    sendOnce,
    heldMs: throttle.heldMs,
    close: () => {
      agent.destroy();
    },
  };

  /** @param from the agent with the connections to use */
  function attempt(request: WireRequest, from: Agent): Promise<WireResponse> {
    const { method, target, headers, body, hasWholeUrl = false } = request;
    // Without Content-Length, Node sends an empty chunked body for all other methods.
    const hasLength = !isChunked(request) && (body !== undefined || !WITHOUT_BODY.includes(method));
    const length = hasLength ? [['Content-Length', String(body?.length ?? 0)]] : [];
    const fields = [['Host', baseUrl.host], ...headers, ...length].flat();
    return new Promise((resolve, reject) => {
      const startedAt = performance.now();
      const received: Buffer[] = []; // The first bytes.
      const content = new GrowingBytes();
      let receivedBytes = 0;
      let response: IncomingMessage | undefined;
      const path = hasWholeUrl ? baseUrl.origin + target : target;
      const options = { agent: from, method, path, headers: fields, signal };
      const outgoing = begin(options, (incoming) => {
        response = incoming;
        if (sequenceKindOf(incoming.headers['content-type'] ?? '') !== undefined) {
          clearTimeout(deadline);
          deadline = setTimeout(() => {
            truncate(incoming, undefined);
          }, SEQUENCE_MS);
        }
        incoming.on('data', (chunk: Buffer) => {
          content.append(chunk);
        });
        incoming.on('error', fail);
        incoming.on('end', () => {
          resolve(responseOf(incoming, undefined));
        });
      });
      let deadline = setTimeout(() => void expire(), TIMEOUT_MS);
      const collect = (chunk: Buffer): void => {
        if (receivedBytes < EXCERPT_BYTES) received.push(chunk);
        receivedBytes += chunk.length;
        if (receivedBytes <= maxResponseBytes) return;
        if (response !== undefined) truncate(response, maxResponseBytes);
        else outgoing.destroy(new Error(`its head does not end within ${String(maxResponseBytes)} bytes`));
      };
      outgoing.on('error', fail).on('socket', (socket) => {
        socket.on('data', collect);
        outgoing.on('close', () => {
          socket.off('data', collect);
        });
      });
      outgoing.on('upgrade', (_response, socket) => {
        socket.destroy();
        fail(new Error('it switches to another protocol, which was not requested'));
      });
      outgoing.on('close', () => {
        clearTimeout(deadline);
      });
      outgoing.end(body);

      async function expire(): Promise<void> {
        // After a long task of this process, Node reads a response that has arrived only in the next turns.
        await nextTurn();
        await nextTurn();
        if (!outgoing.closed) outgoing.destroy(new Error(TIME_OUT));
      }

      function truncate(incoming: IncomingMessage, limitBytes: number | undefined): void {
        resolve(responseOf(incoming, limitBytes));
        // The response emits an error, since it is incomplete.
        incoming.off('error', fail).on('error', () => undefined);
        outgoing.destroy();
      }

      function responseOf({ statusCode = 0, rawHeaders }: IncomingMessage, limitBytes: number | undefined) {
        const names = rawHeaders.filter((_, index) => index % 2 === 0);
        const pairs = names.map((name, index) => [name.toLowerCase(), rawHeaders[2 * index + 1] ?? ''] as const);
        const elapsedMs = performance.now() - startedAt;
        const isAfterLoss = isLost && statusCode === UNAVAILABLE;
        isLost = isAfterLoss;
        return { status: statusCode, headers: pairs, body: content.bytes(), limitBytes, elapsedMs, isAfterLoss };
      }

      function fail(error: NodeJS.ErrnoException): void {
        const { code = '' } = error;
        const isClosed = code === 'ECONNRESET' || code === 'EPIPE';
        const isBehindEnd = response !== undefined && code.startsWith('HPE_');
        const cause = isClosed ? 'the connection was closed' : describeSystemError(error);
        const isStale = isClosed && outgoing.reusedSocket && receivedBytes === 0;
        reject(
          new (isStale ? StaleConnection : NoResponse)(
            isBehindEnd ? `bytes after the end of the response (${cause})` : cause,
            {
              isUnreachable: UNREACHABLE.includes(code),
              isRepeated: isLost,
              problem: protocolProblem(error),
              received: excerptOf(Buffer.concat(received), receivedBytes),
              elapsedMs: performance.now() - startedAt,
            },
          ),
        );
        isLost ||= !isStale;
      }
    });
  }
}

/** The server closed a reused connection, which is allowed at any time (RFC 9112, 9.3.1). */
class StaleConnection extends NoResponse {}

/** Collects bytes in one growing buffer, which needs less memory than many small buffers. */
export class GrowingBytes {
  #memory = Buffer.alloc(0);
  #length = 0;

  /** Appends a copy of bytes. */
  append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#memory.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, 2 * this.#memory.length));
      this.#memory.copy(larger, 0, 0, this.#length);
      this.#memory = larger;
    }
    bytes.copy(this.#memory, this.#length);
    this.#length = length;
  }

  /** Returns all bytes so far, without a copy. */
  bytes(): Buffer {
    return this.#memory.subarray(0, this.#length);
  }
}

/** Limits the request rate. */
type Throttle = {
  /** Waits until the next request may be sent or the run ends. */
  readonly pass: () => Promise<void>;
  /** Delays all following requests. */
  readonly hold: (delayMs: number) => void;
  /** Returns the total delay by `hold`. */
  readonly heldMs: () => number;
};

/** The status of a server that is unavailable. */
export const UNAVAILABLE = 503;
const SECOND_MS = 1_000;
const MAX_RETRY_AFTER_MS = 60 * SECOND_MS;
/** The statuses of requests that were not processed (RFC 6585, 4; RFC 9110, 15.6.4). */
const OVERLOADED = [429, UNAVAILABLE];

/**
 * Creates a throttle that is shared by all workers.
 *
 * @param rate the maximum number of requests per second; unlimited by default
 * @param signal ends all waits
 */
function createThrottle(rate = Infinity, signal?: AbortSignal): Throttle {
  let next = 0;
  let heldMs = 0;
  return {
    async pass() {
      for (let now = performance.now(); now < next && signal?.aborted !== true; now = performance.now())
        await sleep(next - now, undefined, { signal }).catch(() => undefined);
      next = Math.max(next, performance.now() + SECOND_MS / rate);
    },
    hold(delayMs) {
      const now = performance.now();
      const until = Math.max(next, now + delayMs);
      heldMs += until - Math.max(next, now);
      next = until;
    },
    heldMs: () => heldMs,
  };
}

/** Returns the delay of `Retry-After`, a date or seconds; `undefined` if absent or longer than a minute. */
function retryDelayMs({ status, headers }: WireResponse): number | undefined {
  const [, text = ''] = headers.find(([name]) => name === 'retry-after') ?? [];
  const delayMs = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Math.max(0, Date.parse(text) - Date.now());
  const isTime = /^\d+$|GMT$/.test(text);
  return OVERLOADED.includes(status) && isTime && delayMs <= MAX_RETRY_AFTER_MS ? delayMs : undefined;
}
