import { randomUUID } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse, type RequestListener, type Server } from 'node:http';
import { Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { discard } from '../http/bytes.ts';
import { createConnections } from './connections.ts';
import { Failure, unavailableFailure } from '../http/failure.ts';
import { listen, type ListenOptions } from './listen.ts';
import type { Observer } from '../http/observer.ts';
import { reject, rejectionOf, sendAlone } from './rejection.ts';

/** A listener, with the prototypes that an application of Express gives each request and response. */
export type Application = RequestListener & { request?: object; response?: object };

export type ServerOptions = ListenOptions & {
  readonly limits: ServerLimits;
  readonly observer: Observer;
};

/** What one connection, and all of them together, may cost. */
export type ServerLimits = {
  /** The request line and the header fields of a request. */
  readonly headerLimitBytes: number;
  /** How long the header of a request may take to arrive; at most `requestTimeoutMs`. */
  readonly headersTimeoutMs: number;
  /** How long a whole request may take to arrive, and how long a client may take nothing of its answers. */
  readonly requestTimeoutMs: number;
  /** How long a connection stays open after its last answer. */
  readonly keepAliveTimeoutMs: number;
  /** Connections at the same time. */
  readonly connectionLimit: number;
};

/** A listening service. */
export type RunningServer = {
  /** Where it can be reached: `http://127.0.0.1:3000`. */
  readonly url: string;
  /** How many connections are open. */
  readonly connectionCount: () => number;
  /**
   * Takes in the connections that were made before, stops listening, lets the requests that are under way finish, and
   * closes every connection; after `graceMs` without asking.
   *
   * @returns whether every request was answered in time
   */
  readonly stop: (graceMs: number) => Promise<boolean>;
};

// How long a connection without a request stays open after the stop: a request that crosses the stop on its way is
// answered instead of reset (RFC 9112, 9.6).
const CROSSING_MS = 1_500;
const SWEEP_MS = 100;
// How long connections are taken in for after the stop, if more and more of them come.
const TAKING_IN_MS = 2_000;
// How exact the time-outs of requests are.
const CHECK_MS = 500;

/**
 * Serves HTTP. Whatever is not a whole request is answered here, with the Error body, and its connection is closed.
 *
 * @throws {CannotListen}
 */
export async function startServer(
  app: Application,
  { limits, observer, ...address }: ServerOptions,
): Promise<RunningServer> {
  const connections = createConnections(limits.connectionLimit);
  const server = createHttpServer(app, limits);
  const serve: RequestListener = (req, res) => {
    // Of what follows a request to upgrade, the parser drops what came together with it.
    if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    if (connections.begin(req, res)) app(req, res);
    else void discard(req);
  };
  // The application decides on expectations, and is the one to ask for the body.
  server.on('request', serve).on('checkContinue', serve).on('checkExpectation', serve);
  server.prependListener('connection', (socket) => {
    if (connections.open(socket)) return;
    observer.refused('connections');
    sendAlone(socket, unavailableFailure(), randomUUID());
  });

  const rejected = new WeakSet<Duplex>();
  const rejectOnce = (socket: Duplex, failure: Failure | undefined): void => {
    // Only a server that was handed other streams has others.
    if (failure === undefined || !(socket instanceof Socket)) socket.destroy();
    else if (!rejected.has(socket)) reject(connections, socket, failure, observer);
    rejected.add(socket);
  };
  server.on('clientError', (error, socket) => {
    rejectOnce(socket, rejectionOf(error));
  });
  server.on('connect', (_req, socket) => {
    socket.on('error', () => undefined).resume(); // Node has stopped looking after it.
    rejectOnce(socket, new Failure(501, 'this is no proxy: CONNECT cannot be used'));
  });
  server.on('timeout', (socket: Socket) => {
    // Not while it is the service that takes its time.
    if (connections.lastPending(socket) === undefined || socket.writableLength > 0) socket.destroy();
  });

  const url = await listen(server, address);
  return {
    url,
    connectionCount: connections.count,
    stop: (graceMs) =>
      new Promise((resolve) => {
        let inTime = true;
        const deadline = setTimeout(() => {
          inTime = !connections.isBusy();
          connections.closeAll();
        }, graceMs);
        afterAcceptQueue(server, Math.min(TAKING_IN_MS, graceMs), () => {
          connections.drain(); // Sooner, whoever is answered would come back on a new connection.
          let sweeping: NodeJS.Timeout | undefined;
          // Once all that has arrived is read.
          const sweep = (): void => void setImmediate(connections.closeIdle);
          const sweeper = setTimeout(
            () => {
              sweep();
              sweeping = setInterval(sweep, SWEEP_MS);
            },
            Math.min(CROSSING_MS, graceMs),
          );
          // http.Server's own close() would close idle connections at once, with the requests that are on their way.
          NetServer.prototype.close.call(server, () => {
            clearTimeout(sweeper);
            clearInterval(sweeping);
            clearTimeout(deadline);
            resolve(inTime);
          });
        });
      }),
  };
}

/**
 * Calls back when no connection is waiting to be taken in, of which Node takes in one in each turn of the event loop.
 * For their clients they are open, and there may be requests on them: to stop listening would reset them all.
 */
function afterAcceptQueue(server: Server, limitMs: number, callback: () => void): void {
  const limit = performance.now() + limitMs;
  let cameInTurn = true;
  const onConnection = (): void => {
    cameInTurn = true;
  };
  const turn = (): void => {
    if (cameInTurn && performance.now() < limit) {
      cameInTurn = false;
      setImmediate(turn);
    } else {
      server.off('connection', onConnection);
      callback();
    }
  };
  server.on('connection', onConnection);
  setImmediate(turn); // The turn that is under way may have looked for connections before they came.
}

function createHttpServer(app: Application, limits: ServerLimits): Server {
  const server = createServer({
    ...classesOf(app),
    maxHeaderSize: limits.headerLimitBytes,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: CHECK_MS,
    requireHostHeader: false, // Node's answer has no body; the pipeline looks at Host.
    insecureHTTPParser: false, // Also with NODE_OPTIONS=--insecure-http-parser.
  });
  server.maxHeadersCount = 0; // Beyond its default of 2,000, Node would drop fields. Their size is limited.
  server.timeout = limits.requestTimeoutMs + 2 * CHECK_MS; // After the time-outs above, which get an answer.
  // A client that has sent all it has to say may close its side and still get its answers. Node has no option for it.
  return Object.assign(server, { httpAllowHalfOpen: true });
}

/** Objects that change their prototype are slow ever after. These have that of the application from the start. */
function classesOf(app: Application) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {}
  if (app.request !== undefined && app.response !== undefined) {
    Object.setPrototypeOf(Request.prototype, app.request);
    Object.setPrototypeOf(Response.prototype, app.response);
    Object.assign(app, { request: Request.prototype, response: Response.prototype });
  }
  return { IncomingMessage: Request, ServerResponse: Response };
}
