import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { essenceOf, type Operation } from '@contract-first/contract';
import { contentCodingOf } from '../headers/content-coding.ts';
import { addVary } from '../headers/vary.ts';
import { parseWeightedList } from '../headers/weighted-list.ts';
import { isBodyStream, type BodyStream } from './body-stream.ts';
import type { HandlerResponse, HeaderFields } from './response.ts';

/**
 * Which operations may compress their responses. The length of a compressed response reveals whether its secrets repeat
 * input of the request (BREACH), so `public` includes only operations without credentials and cookies.
 */
export const COMPRESSIONS = ['off', 'public', 'all'] as const;
export type Compression = (typeof COMPRESSIONS)[number];

/** Compresses a response if its client accepts that. */
export type Compress = (req: IncomingMessage, response: HandlerResponse) => HandlerResponse | Promise<HandlerResponse>;

/** A content coding: compresses whole bodies, and creates encoders for streams. */
type Coding = {
  readonly compress: (body: string | Uint8Array) => Promise<Uint8Array>;
  readonly createEncoder: NonNullable<BodyStream['createEncoder']>;
};

const { BROTLI_OPERATION_FLUSH, BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = zlib.constants;
const { ZSTD_c_windowLog, ZSTD_e_flush, Z_SYNC_FLUSH } = zlib.constants;
// The default quality of brotli is too slow for responses. Small windows bound the memory of open streams.
const BROTLI = { params: { [BROTLI_PARAM_QUALITY]: 4, [BROTLI_PARAM_LGWIN]: 18 } };
const ZSTD = { params: { [ZSTD_c_windowLog]: 18 } };
const brotliCompress = promisify<zlib.InputType, zlib.BrotliOptions, Uint8Array>(zlib.brotliCompress);
const zstdCompress = promisify<zlib.InputType, zlib.ZstdOptions, Uint8Array>(zlib.zstdCompress);
const gzip = promisify<zlib.InputType, Uint8Array>(zlib.gzip);

/** In the order of preference: the fastest first. Encoders flush each chunk, so that no line of a stream is held back. */
const CODINGS: Readonly<Record<string, Coding>> = {
  zstd: {
    compress: (body) => zstdCompress(body, ZSTD),
    createEncoder: () => zlib.createZstdCompress({ ...ZSTD, flush: ZSTD_e_flush }),
  },
  br: {
    compress: (body) => brotliCompress(body, BROTLI),
    createEncoder: () => zlib.createBrotliCompress({ ...BROTLI, flush: BROTLI_OPERATION_FLUSH }),
  },
  gzip: { compress: gzip, createEncoder: () => zlib.createGzip({ flush: Z_SYNC_FLUSH }) },
};

// Smaller bodies fit into one packet anyway.
const MIN_BYTES = 1_024;
// Media types that are not compressed already.
const COMPRESSIBLE =
  /^text\/|(?:\/|\+)(?:json|jsonl|(?:x-)?ndjson|json-seq|xml|(?:x-)?yaml|toml|graphql|(?:x-)?javascript|x-www-form-urlencoded|wasm)$|^image\/(?:bmp|vnd\.microsoft\.icon|x-icon)$/;
// An encoder for each open stream of events would take too much memory.
const EVENTS = 'text/event-stream';
// Headers that describe the bytes of the body.
const OF_BYTES = [
  'accept-ranges',
  'content-digest',
  'content-encoding',
  'content-md5',
  'content-range',
  'digest',
  'repr-digest',
];

/** Returns the function that compresses the responses of an operation; `undefined` if the service compresses none. */
export function createCompression(compression: Compression, operation: Operation): Compress | undefined {
  if (compression === 'off') return undefined;
  const isPublic = operation.security.length === 0 && operation.parameters.every(({ in: place }) => place !== 'cookie');
  const mayCompress = compression === 'all' || isPublic;
  return (req, response) => {
    const { status, headers, body } = response;
    if (!mayCompress) return withTagOf('identity', response);
    if (status === 304) return withStoredTag(req, response);
    if (body === undefined || !mayBeCompressed(headers)) return withTagOf('identity', response);
    const weights = weightsOf(req);
    // A client that refuses a body without a coding gets a coding in any case.
    if (weights.identity > 0 && !isWorthwhile(response)) return withTagOf('identity', response);
    const varying = { ...response, headers: { ...headers, vary: addVary(headers['vary'], 'Accept-Encoding') } };
    const name = selectCoding(weights);
    const coding = CODINGS[name ?? ''];
    if (name === undefined || coding === undefined) return withTagOf('identity', varying);
    const tagged = withTagOf(name, varying);
    const coded = { status, headers: { ...tagged.headers, 'content-encoding': name } };
    return isBodyStream(body)
      ? { ...coded, body: { ...body, createEncoder: coding.createEncoder } }
      : coding.compress(body).then((compressed) => ({ ...coded, body: compressed }));
  };
}

function mayBeCompressed(headers: HeaderFields): boolean {
  return (
    OF_BYTES.every((name) => headers[name] === undefined) &&
    !/\bno-transform\b/i.test(String(headers['cache-control'])) &&
    essenceOf(String(headers['content-type'])) !== EVENTS
  );
}

function isWorthwhile({ headers, body = '' }: HandlerResponse): boolean {
  const size = isBodyStream(body) ? (body.sizeBytes ?? Infinity) : Buffer.byteLength(body);
  return size >= MIN_BYTES && COMPRESSIBLE.test(essenceOf(String(headers['content-type'])));
}

type Weights = { readonly identity: number; readonly codings: ReadonlyMap<string, number> };

/** Reads the weights of the codings in Accept-Encoding (RFC 9110, 12.5.3). Without the header, no coding is wanted. */
function weightsOf({ headers }: IncomingMessage): Weights {
  const members = parseWeightedList(headers['accept-encoding'] ?? '');
  const weights = new Map(members.map(({ text, weight }) => [contentCodingOf(text.split(';', 1)[0] ?? ''), weight]));
  const any = weights.get('*');
  const codings = new Map(Object.keys(CODINGS).map((name) => [name, weights.get(name) ?? any ?? 0]));
  // Unless the client weighs it, a body without a coding is acceptable, but any wanted coding is better.
  return { identity: weights.get('identity') ?? (any === 0 ? 0 : Number.MIN_VALUE), codings };
}

/** Selects the best coding; `undefined` for none. */
function selectCoding(weights: Weights): string | undefined {
  const [name = ''] = acceptedCodings(weights);
  return (weights.codings.get(name) ?? 0) >= weights.identity ? name : undefined;
}

/** Returns the codings that a client accepts, the best first. */
function acceptedCodings({ codings }: Weights): readonly string[] {
  const accepted = [...codings].filter(([, weight]) => weight > 0);
  return accepted.sort(([, one], [, other]) => other - one).map(([name]) => name);
}

const CODED_TAG = new RegExp(`("[^"]*)\\+(${['identity', ...Object.keys(CODINGS)].join('|')})"`, 'g');

/**
 * Returns the ETag of a response with a coding: each coding of a body is another representation (RFC 9110, 8.8.3.3).
 * Weak tags, which all codings share, and tags of bodies without a coding get a suffix only if they end like one, so
 * that removing the last suffix returns the tag of the handler.
 */
function codedTag(etag: string, coding: string): string {
  const isShared = coding === 'identity' || etag.startsWith('W/');
  if (isShared && etag.search(CODED_TAG) === -1) return etag;
  return etag.replace(/"$/, `+${isShared ? 'identity' : coding}"`);
}

function withTagOf(coding: string, response: HandlerResponse): HandlerResponse {
  const { etag } = response.headers;
  if (typeof etag !== 'string') return response;
  return { ...response, headers: { ...response.headers, etag: codedTag(etag, coding) } };
}

/** Gives a 304 the ETag of the response that the client has. */
function withStoredTag(req: IncomingMessage, response: HandlerResponse): HandlerResponse {
  const sent = String(req.headersDistinct['if-none-match']);
  const { etag, vary } = response.headers;
  const isStored = (name: string): boolean => typeof etag === 'string' && sent.includes(codedTag(etag, name));
  const coding = acceptedCodings(weightsOf(req)).find(isStored) ?? 'identity';
  return withTagOf(coding, { ...response, headers: { ...response.headers, vary: addVary(vary, 'Accept-Encoding') } });
}

/**
 * Replaces ETags of compressed responses in the conditions of a request by the ETags that handlers know. Removes tags
 * that must not match. A read does not match tags of codings that it does not accept: with a 304, a shared cache would
 * send their bodies to its client. If-Range matches none, since a part of a compressed body cannot continue with a part
 * of the body without a coding.
 */
export function removeCodings(req: IncomingMessage): void {
  const { headers, method } = req;
  const isRead = method === 'GET' || method === 'HEAD';
  replace('if-match', () => true);
  replace('if-none-match', (coding) => !isRead || weightsOf(req).codings.get(coding) !== 0);
  replace('if-range', (coding) => coding === 'identity');

  function replace(field: string, mayMatch: (coding: string) => boolean): void {
    const tags = headers[field];
    if (tags === undefined) return;
    headers[field] = String(tags).replaceAll(CODED_TAG, (_tag, start: string, coding: string) =>
      mayMatch(coding) ? `${start}"` : '',
    );
  }
}
