import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { Tls } from '@contract-first/command-line/options';
import { describeSystemError, nodeHttp } from '@contract-first/contract';
import {
  createAgent,
  endToEndHeaders,
  excerptOf,
  GrowingBytes,
  headerPairs,
  protocolProblem,
  type RecordedExchange,
  requestTo,
} from '@contract-first/model/requests';

/** Receives the outcome of each request to the proxy. */
export type PassageEvents = {
  readonly onExchange: (exchange: RecordedExchange) => void;
  /** Called if a request got no response from the service for a reason that is not the service's fault. */
  readonly onSkip: (reason: string) => void;
};

const UNREACHABLE = ['ECONNREFUSED', 'ENOTFOUND', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'ETIMEDOUT'];
const CLOSED = ['ECONNRESET', 'EPIPE'];
// Methods whose requests need no Content-Length without a body (RFC 9110, 8.6).
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];
// Not forwarded, since the proxy frames each message itself.
const LENGTH = /^content-length$/i;
const NO_CONTENT = 204; // Must not have Content-Length (RFC 9110, 8.6).

/**
 * Creates a listener that streams requests to a service and responses to the client. Uses a new connection for each
 * request, since a service may close idle connections at any time.
 */
export function createForwarder(service: URL, tls: Tls, { onExchange, onSkip }: PassageEvents): RequestListener {
  const { host } = service;
  const send = requestTo(service);
  const agent = createAgent(service, tls, false);

  return (incoming, outgoing) => {
    if (/^websocket$/i.test(incoming.headers.upgrade ?? '')) {
      onSkip('WebSockets, which the proxy answers 501');
      answer(outgoing, 501, 'contract-first proxy does not forward WebSockets\n');
      return;
    }
    const { method = 'GET', url = '/' } = incoming;
    if (hasOtherCoding(incoming)) {
      onSkip('requests with another transfer coding than chunked, which the proxy answers 501');
      answer(outgoing, 501, 'contract-first proxy knows no other transfer coding than chunked\n');
      return;
    }
    const target = url.replace(/^https?:\/\/[^/?#]*(?=(\/?))/i, (_origin, slash: string) => (slash === '' ? '/' : ''));
    const passage = openPassage(incoming, target);
    let isOver = false;
    const end = (report: () => void): void => {
      if (!isOver) report();
      isOver = true;
    };
    const fail = (error: NodeJS.ErrnoException): void => {
      const { code = '' } = error;
      const problem = protocolProblem(error);
      const cause = problem ?? (CLOSED.includes(code) ? 'the connection was closed' : describeSystemError(error));
      end(() => {
        if (problem !== undefined || UNREACHABLE.includes(code))
          onSkip(`requests while the service was not reachable (${cause})`);
        else onExchange(passage.finish(cause));
      });
      if (outgoing.headersSent) outgoing.destroy();
      else answer(outgoing, 502, `contract-first proxy: no response of the service at ${host}: ${cause}\n`);
    };
    try {
      const options = { agent, method, path: target, headers: fieldsOf(incoming, host) };
      const upstream = send(options, (response) => {
        if (hasOtherCoding(response)) {
          upstream.destroy(new Error('it has a transfer coding that the request did not ask for'));
          return;
        }
        passage.respond(response);
        response.on('error', fail).on('end', () => {
          end(() => {
            onExchange(passage.finish(undefined));
          });
        });
        try {
          passOn(response, outgoing);
        } catch (error) {
          upstream.destroy(error as Error); // Node rejects some characters in headers.
        }
      });
      upstream.on('error', fail).on('upgrade', () => {
        upstream.destroy(); // Node has detached its error listeners.
        fail(new Error('it switches to another protocol, which the request did not ask for'));
      });
      if (hasBody(incoming)) incoming.pipe(upstream);
      else upstream.end();
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
      answer(outgoing, 400, `contract-first proxy cannot forward this: ${(error as Error).message}\n`); // An Error.
    }
  };
}

/** Returns the headers of a request to the service. `Host` names the service, as without a proxy. */
function fieldsOf(incoming: IncomingMessage, host: string): string[] {
  const { method = 'GET', rawHeaders, headers } = incoming;
  // Expect is not forwarded, since the proxy has already sent 100 Continue.
  const forwarded = endToEndHeaders(headerPairs(rawHeaders)).filter(
    ([name]) => !/^(?:host|expect)$/i.test(name) && !LENGTH.test(name),
  );
  const { 'transfer-encoding': coding, 'content-length': length = WITHOUT_BODY.includes(method) ? undefined : '0' } =
    headers;
  const ofLength = length === undefined ? [] : ['Content-Length', length];
  const framing = coding === undefined ? ofLength : ['Transfer-Encoding', 'chunked'];
  return ['Host', host, ...forwarded.flat(), ...framing, 'Connection', 'close'];
}

function passOn(response: IncomingMessage, outgoing: ServerResponse): void {
  const { statusCode = 0, statusMessage = '', rawHeaders, headers } = response;
  const forwarded = endToEndHeaders(headerPairs(rawHeaders)).filter(([name]) => !LENGTH.test(name));
  const { 'content-length': length } = headers;
  // Without Content-Length, Node uses chunked encoding, or closes the connection for HTTP/1.0 clients.
  const framing = length === undefined || statusCode === NO_CONTENT ? [] : ['Content-Length', length];
  // Clients ignore the reason phrase (RFC 9112, 4), and Node rejects control characters.
  const reason = statusMessage.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, ' ');
  outgoing.sendDate = false;
  outgoing.writeHead(statusCode, reason, [...forwarded.flat(), ...framing]);
  outgoing.write(Buffer.alloc(0)); // Sends the headers; flushHeaders() would convert Latin-1 to UTF-8.
  response.pipe(outgoing);
}

/** Returns whether the body has a transfer coding other than `chunked`, which Node does not decode. */
function hasOtherCoding({ headers }: IncomingMessage): boolean {
  return !/^(?:chunked)?$/i.test((headers['transfer-encoding'] ?? '').trim());
}

function answer(outgoing: ServerResponse, status: number, text: string): void {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' };
  // Explicit, since Node would reuse a rejected reason phrase.
  outgoing.writeHead(status, nodeHttp.STATUS_CODES[status], headers).end(text);
}

/** A request that passes through the proxy, and its response. */
type Passage = {
  /** Records a response while it is forwarded. */
  readonly respond: (response: IncomingMessage) => void;
  /**
   * Returns the recorded exchange.
   *
   * @param cause the reason why no complete response arrived; `undefined` if a complete response arrived
   */
  readonly finish: (cause: string | undefined) => RecordedExchange;
};

const NOTHING = Buffer.alloc(0);

/** Records a request while it is forwarded. */
function openPassage(request: IncomingMessage, target: string): Passage {
  const startedAt = new Date();
  const start = performance.now();
  const sent = keepPassing(request);
  let passing: { readonly response: IncomingMessage; readonly body: PassingBody } | undefined;
  return {
    respond(response) {
      passing = { response, body: keepPassing(response) };
    },
    finish(cause) {
      const { method = 'GET', rawHeaders, complete } = request;
      const durationMs = performance.now() - start;
      const body = hasBody(request) ? recordedBody(sent, request).bytes : undefined;
      const common = {
        request: { method, target, headers: endToEndHeaders(headerPairs(rawHeaders)), body },
        hasAllHeaders: true,
        isRequestComplete: complete && !sent.isCut(),
        startedAt,
        durationMs,
        place: undefined,
      };
      const received = passing === undefined ? undefined : recordedBody(passing.body, passing.response);
      if (cause !== undefined || passing === undefined || received === undefined) {
        const totalBytes = passing?.body.bytes().length;
        const broken = { cause: cause ?? 'there is none', received: excerptOf(received?.bytes ?? NOTHING, totalBytes) };
        return { ...common, response: undefined, isResponseComplete: false, broken };
      }
      const { statusCode: status = 0 } = passing.response;
      const headers = endToEndHeaders(headerPairs(passing.response.rawHeaders)).map(
        ([name, value]) => [name.toLowerCase(), value] as const,
      );
      const response = { status, headers, body: received.bytes, limitBytes: undefined, elapsedMs: durationMs };
      return { ...common, response, isResponseComplete: received.isWhole, broken: undefined };
    },
  };
}

/** Decodes a body. Does not record a body that cannot be decoded, since its secrets could not be redacted. */
function recordedBody(
  kept: PassingBody,
  { headers }: IncomingMessage,
): { readonly bytes: Buffer; readonly isWhole: boolean } {
  const coding = headers['content-encoding'];
  const decoded = kept.isCut() ? undefined : decodeBody(kept.bytes(), coding);
  return { bytes: decoded ?? (coding === undefined ? kept.bytes() : NOTHING), isWhole: decoded !== undefined };
}

/** Returns whether a request has a body, which may be empty (RFC 9112, 6.3). */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The recorded body of a forwarded message, up to a limit. */
type PassingBody = {
  readonly bytes: () => Buffer;
  /** Returns whether the body exceeds the limit. */
  readonly isCut: () => boolean;
};

// Longer bodies are forwarded but not checked.
const MAX_BODY_BYTES = 16_777_216;

/** Records the first bytes of a stream that another consumer reads. */
function keepPassing(stream: Readable): PassingBody {
  const content = new GrowingBytes();
  let passedBytes = 0;
  let isCut = false;
  stream.on('data', (chunk: Buffer) => {
    passedBytes += chunk.length;
    isCut ||= passedBytes > MAX_BODY_BYTES;
    if (!isCut) content.append(chunk);
  });
  return { bytes: () => content.bytes(), isCut: () => isCut };
}

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** Decompresses a body. Returns `undefined` for unknown codings, and for corrupt or too long bodies. */
function decodeBody(bytes: Buffer, contentEncoding: string | undefined): Buffer | undefined {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  try {
    return codings.reduceRight((decoded: Buffer | undefined, coding) => {
      if (coding === '' || coding === 'identity' || decoded?.length === 0) return decoded;
      return decoded && DECODERS[coding]?.(decoded, { maxOutputLength: MAX_BODY_BYTES });
    }, bytes);
  } catch {
    return undefined;
  }
}
