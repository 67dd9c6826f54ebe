import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { nodeHttp, TimeSlices } from '@contract-first/contract';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { discard } from '../http/read/bytes.ts';
import { abortResponse } from '../http/accept/disconnect.ts';
import { createRequestId } from '../http/accept/request-ids.ts';
import { createConnections } from './connections.ts';
import { Failure, unavailableFailure } from '../http/failure.ts';
import type { MessageClasses } from '../http/messages.ts';
import { listen, type ListenOptions } from './listen.ts';
import { isMalformedHead, rejectConnection, type Rejections, toConnectionFailure, writeResponse } from './rejection.ts';

type ServerOptions = ListenOptions & {
  readonly limits: ServerLimits;
  readonly messageClasses: MessageClasses;
  /** Called for each rejected message, since the application may have been replaced. */
  readonly rejections: () => Rejections;
};

/** Limits of each connection, and the number of connections. */
export type ServerLimits = {
  /** The maximum size of the request line and the header fields. */
  readonly headerLimitBytes: number;
  /** The time for the header of a request to arrive; at most `requestTimeoutMs`. */
  readonly headersTimeoutMs: number;
  /** The time for a whole request to arrive, and the time without progress in sending a response. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open after its last response. */
  readonly keepAliveTimeoutMs: number;
  /** The maximum number of concurrent connections. */
  readonly connectionLimit: number;
};

/** A listening server. */
export type RunningServer = {
  /** The base URL: `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Returns the number of open connections. */
  readonly connectionCount: () => number;
  /**
   * Accepts the connections in the queue, stops listening, and drains and closes every connection. After `graceMs`,
   * closes the remaining connections at once.
   *
   * @returns whether every request got its response within `graceMs`
   */
  readonly stop: (graceMs: number) => Promise<boolean>;
};

// How long idle connections stay open after the stop, so that a request in transit is answered instead of reset
// (RFC 9112, 9.6).
const IDLE_GRACE_MS = 1_500;
const SWEEP_MS = 100;
// How long connections are accepted after the stop if new connections keep arriving.
const ACCEPT_QUEUE_TIMEOUT_MS = 2_000;
// Serving this many requests takes less than a millisecond, and their responses are written together.
const PIPELINED_AT_ONCE = 16;
// The precision of the request timeouts.
const TIMEOUT_CHECK_MS = 500;
// How much of a response is buffered for a slow client, and how much of a request body for its reader. Node's default
// is four times as much.
const HIGH_WATER_MARK_BYTES = 16_384;

/**
 * Starts an HTTP server. Answers messages that the HTTP parser rejects with a failure, and closes their connection.
 *
 * @throws {CannotListen}
 */
export async function startServer(
  app: RequestListener,
  { limits, messageClasses, rejections, ...address }: ServerOptions,
): Promise<RunningServer> {
  const connections = createConnections(limits.connectionLimit);
  const serveInTurns = createTurns(app);
  const server = createHttpServer(messageClasses, limits);
  const serve: RequestListener = (req, res) => {
    // After an Upgrade header, llhttp discards buffered data, so further requests could be lost.
    if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    const isBehindOthers = connections.pending(req.socket).length > 0;
    if (!connections.register(req, res)) void discard(req);
    else if (isBehindOthers) serveInTurns(req, res);
    else app(req, res);
  };
  // The application checks Expect and sends 100 Continue.
  server.on('request', serve).on('checkContinue', serve).on('checkExpectation', serve);
  server.prependListener('connection', (socket) => {
    if (connections.add(socket)) return;
    const { observer, failureResponse } = rejections();
    observer.refused('connections');
    writeResponse(socket, failureResponse(unavailableFailure()), createRequestId());
  });

  const rejected = new WeakSet<Duplex>();
  const rejectOnce = (socket: Duplex, failure: Failure | undefined, isHead = false): void => {
    // Node's types allow any Duplex; this server creates only sockets.
    if (failure === undefined || !(socket instanceof Socket)) socket.destroy();
    else if (!rejected.has(socket)) rejectConnection(connections, socket, failure, rejections(), isHead);
    rejected.add(socket);
  };
  server.on('clientError', (error, socket) => {
    rejectOnce(socket, toConnectionFailure(error), isMalformedHead(error));
  });
  server.on('connect', (_req, socket) => {
    socket.on('error', () => undefined).resume(); // Node has detached its listeners.
    rejectOnce(socket, new Failure(501, 'CONNECT is not supported'));
  });
  server.on('timeout', (socket: Socket) => {
    const [first] = connections.pending(socket);
    if (first === undefined) socket.destroy();
    // A connection that waits for the service must stay open. A stream has its own time limit.
    else if (socket.writableLength > 0 && (first.writableEnded || !first.req.complete)) abortResponse(first);
  });

  const url = await listen(server, address);
  const sendingTimeoutMs = limits.requestTimeoutMs + 2 * TIMEOUT_CHECK_MS; // After Node's timeouts, which send a response.
  const sendingCheck = setInterval(connections.limitSending, TIMEOUT_CHECK_MS, sendingTimeoutMs).unref();
  return {
    url,
    connectionCount: connections.count,
    async stop(graceMs) {
      let inTime = true;
      const deadline = setTimeout(() => {
        inTime = !connections.isBusy();
        connections.closeAll();
      }, graceMs);
      await emptyAcceptQueue(server, Math.min(ACCEPT_QUEUE_TIMEOUT_MS, graceMs));
      connections.drain(); // Not earlier: drained clients would reconnect while the server still listens.
      const sweepAt = performance.now() + Math.min(IDLE_GRACE_MS, graceMs);
      const sweep = setInterval(() => {
        // After all received data has been read.
        if (performance.now() >= sweepAt) setImmediate(connections.closeIdle, IDLE_GRACE_MS);
      }, SWEEP_MS);
      // http.Server's own close() would close idle connections at once and lose requests in transit.
      await new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      clearInterval(sweep);
      clearInterval(sendingCheck);
      clearTimeout(deadline);
      return inTime;
    },
  };
}

/**
 * Creates a listener for pipelined requests. Hundreds may arrive at once, so they are served in small groups, which
 * yield to other connections.
 */
function createTurns(app: RequestListener): RequestListener {
  const slices = new TimeSlices();
  const waiting = new WeakMap<Socket, (readonly [IncomingMessage, ServerResponse])[]>();
  return (req, res) => {
    const queue = waiting.get(req.socket) ?? [];
    queue.push([req, res]);
    if (waiting.has(req.socket)) return;
    waiting.set(req.socket, queue);
    void serve(req.socket, queue);
  };

  async function serve(socket: Socket, queue: (readonly [req: IncomingMessage, res: ServerResponse])[]): Promise<void> {
    while (queue.length > 0 && !isClosed(socket)) {
      await slices.wait(true);
      if (!isClosed(socket)) for (const [req, res] of queue.splice(0, PIPELINED_AT_ONCE)) app(req, res);
    }
    waiting.delete(socket);
  }
}

function isClosed(socket: Socket): boolean {
  return socket.destroyed;
}

/**
 * Waits until the accept queue is empty, at most `timeoutMs`. Closing the listening socket would reset the connections
 * in the queue, which are open from the client's view. Node accepts one connection per iteration of the event loop.
 */
async function emptyAcceptQueue(server: Server, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let accepted = true;
  const onConnection = (): void => {
    accepted = true;
  };
  server.on('connection', onConnection);
  await nextIteration(); // The current iteration may already have polled for connections.
  while (accepted && performance.now() < deadline) {
    accepted = false;
    await nextIteration();
  }
  server.off('connection', onConnection);
}

function createHttpServer(messageClasses: MessageClasses, limits: ServerLimits): Server {
  const server = nodeHttp.createServer({
    ...messageClasses,
    highWaterMark: HIGH_WATER_MARK_BYTES,
    maxHeaderSize: limits.headerLimitBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: TIMEOUT_CHECK_MS,
    requireHostHeader: false, // Node's own 400 has no body; the pipeline checks Host.
    insecureHTTPParser: false, // Overrides NODE_OPTIONS=--insecure-http-parser.
  });
  server.maxHeadersCount = 0; // By default, Node drops fields beyond 2,000; the header size is limited instead.
  // A client may half-close its connection and still receive its responses. Node has no documented option for this.
  return Object.assign(server, { httpAllowHalfOpen: true });
}
