import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import { mediaTypeParameters, nodeHttp } from '@contract-first/contract';
import { addCors, type HeaderField, onDisconnect } from '@contract-first/engine/tools';
import { endToEndHeaders, headerPairs, type RecordedExchange } from '@contract-first/model/requests';

/** A request with its whole body. */
export type ReadRequest = {
  readonly method: string;
  readonly target: string;
  readonly body: Buffer;
  readonly headers: Pairs;
};
/** The parts of a request that select its recorded response. */
type KeyedRequest = Pick<RecordedExchange['request'], 'method' | 'target' | 'headers' | 'body'>;
type Pairs = readonly (readonly [name: string, value: string])[];

/** A response whose body is complete, or arrives while it is sent. */
type SourceResponse = { readonly status: number; readonly headers: Pairs; readonly body: Buffer | Readable };

/** Returns the response to a request, or `undefined` for the response of the mock. */
export type ResponseSource = (
  request: ReadRequest,
  /** Aborted when the client disconnects. */
  signal: AbortSignal,
) => Promise<SourceResponse | undefined> | SourceResponse | undefined;

/**
 * Creates Express middleware that answers requests from the sources, in this order, before the mock does. The engine
 * answers requests with longer bodies than the limit.
 */
export function createRecorded(sources: readonly ResponseSource[], bodyLimitBytes: number) {
  return async (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void): Promise<void> => {
    const { method = 'GET', url: target = '/', headers } = req;
    // The engine answers preflights, and requests whose bodies it must ask for.
    const isOfEngine = headers['access-control-request-method'] !== undefined || headers.expect !== undefined;
    if (sources.length === 0 || isOfEngine) {
      next();
      return;
    }
    const disconnected = new AbortController();
    const stopWatching = onDisconnect(req, res, () => {
      disconnected.abort();
    });
    try {
      const body = await readBody(req, bodyLimitBytes);
      if (body === undefined) return;
      const request = { method, target, headers: headerPairs(req.rawHeaders), body };
      for (const source of body.length > bodyLimitBytes ? [] : sources) {
        const response = await source(request, disconnected.signal);
        if (disconnected.signal.aborted) return;
        if (response === undefined) continue;
        send(req, res, response);
        return;
      }
      stopWatching();
      next();
    } catch (error) {
      next(error);
    }
  };
}

/** Returns the recorded responses. Repeated requests get the recorded responses in their order, then the last one. */
export function replay(exchanges: readonly RecordedExchange[]): ResponseSource {
  const usable = exchanges.filter(
    ({ isRequestComplete, isResponseComplete, response: { status } = { status: 0 } }) =>
      isRequestComplete && isResponseComplete && status >= 200 && status < 1_000,
  );
  const byRequest = Map.groupBy(usable, ({ request }) => keyOf(request));
  const counts = new Map<string, number>();
  return (request) => {
    const key = keyOf(request);
    const recorded = byRequest.get(key);
    if (recorded === undefined) return undefined;
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    const { response } = recorded[Math.min(count, recorded.length - 1)] ?? {};
    if (response === undefined) return undefined;
    const { status } = response;
    // Archives have the decoded body.
    const headers = response.headers.filter(([name]) => !/^content-(?:encoding|length)$/i.test(name));
    const length = [['content-length', String(response.body.length)] as const];
    return {
      status,
      headers: status === 204 || status === 304 ? headers : [...headers, ...length],
      body: response.body,
    };
  };
}

/**
 * Returns a text that is equal for equal requests. The order of a query and of JSON members, and the boundary between
 * the parts of a form, do not matter.
 */
function keyOf({ method, target, headers, body = Buffer.alloc(0) }: KeyedRequest): string {
  // A path may begin with two slashes, which would be a host.
  const url = URL.parse(target.startsWith('/') ? `http://server${target}` : target);
  url?.searchParams.sort();
  const resource = url === null ? target : url.pathname + url.search;
  const [, type = ''] = headers.find(([name]) => /^content-type$/i.test(name)) ?? [];
  const boundary = mediaTypeParameters(type).get('boundary');
  const text = body.toString('latin1');
  return JSON.stringify([method, resource, boundary === undefined ? sorted(text) : text.replaceAll(boundary, '')]);
}

function sorted(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_name, value: unknown) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
        : value,
    );
  } catch {
    return text; // Not JSON.
  }
}

/**
 * Reads the body, or a little more than the limit, and puts it back for the engine.
 *
 * @returns `undefined` if the client has disconnected
 */
async function readBody(req: IncomingMessage, limitBytes: number): Promise<Buffer | undefined> {
  if (req.headers['content-length'] === undefined && req.headers['transfer-encoding'] === undefined)
    return Buffer.alloc(0);
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve) => {
    const disconnected = (): void => {
      resolve(undefined);
    };
    const read = (): void => {
      for (let chunk = req.read() as Buffer | null; chunk !== null; chunk = req.read() as Buffer | null) {
        chunks.push(chunk); // A stream of bytes.
        bytes += chunk.length;
      }
      if (!req.complete && bytes <= limitBytes) return;
      req.off('readable', read).off('error', disconnected);
      const body = Buffer.concat(chunks);
      // Before the stream ends, which is in the next tick.
      if (body.length > 0) req.unshift(body);
      resolve(body);
    };
    req.on('readable', read).on('error', disconnected);
  });
}

function send(req: IncomingMessage, res: ServerResponse, { status, headers, body }: SourceResponse): void {
  const fields: HeaderField[] = endToEndHeaders(headers)
    .filter(([name, value]) => !/^access-control-/i.test(name) && isField(name, value))
    .flatMap(([name, value]) => [name.toLowerCase(), value]);
  addCors(req, fields);
  res.writeHead(status, fields);
  if (Buffer.isBuffer(body)) {
    res.end(req.method === 'HEAD' ? undefined : body);
    return;
  }
  res.write(Buffer.alloc(0)); // Sends the headers before the first event of a stream.
  pipeline(body, res, () => undefined); // An error closes both connections.
}

/** Returns whether HTTP allows a header. An archive may contain any text. */
function isField(name: string, value: string): boolean {
  try {
    nodeHttp.validateHeaderName(name);
    nodeHttp.validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}
