import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { essenceOf, type Operation } from '@contract-first/contract';
import { contentCodingOf } from '../accept/content-coding.ts';
import { addVary } from '../accept/vary.ts';
import { parseWeightedList } from '../accept/weighted-list.ts';
import { isBodyStream, type BodyStream } from './body-stream.ts';
import type { HandlerResponse, Headers } from './response.ts';

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

/** Returns the function that compresses the responses of an operation; `undefined` if they are not compressed. */
export function createCompression(compression: Compression, operation: Operation): Compress | undefined {
  const isPublic = operation.security.length === 0 && operation.parameters.every(({ in: place }) => place !== 'cookie');
  if (compression === 'off' || (compression === 'public' && !isPublic)) return undefined;
  return (req, response) => {
    const { status, headers, body } = response;
    if (status === 304) return withStoredTag(req, response);
    if (body === undefined || !mayBeCompressed(headers)) return response;
    const weights = weightsOf(req);
    // A client that refuses a body without a coding gets a coding in any case.
    if (weights.identity > 0 && !isWorthwhile(response)) return response;
    const varying = { ...headers, vary: addVary(headers['vary'], 'Accept-Encoding') };
    const name = selectCoding(weights);
    const coding = CODINGS[name ?? ''];
    if (name === undefined || coding === undefined) return { status, headers: varying, body };
    const coded = { status, headers: { ...varying, ...codedTag(headers, name), 'content-encoding': name } };
    return isBodyStream(body)
      ? { ...coded, body: { ...body, createEncoder: coding.createEncoder } }
      : coding.compress(body).then((compressed) => ({ ...coded, body: compressed }));
  };
}

function mayBeCompressed(headers: Headers): boolean {
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
function selectCoding({ identity, codings }: Weights): string | undefined {
  const [[name, weight] = ['', 0]] = [...codings].sort(([, one], [, other]) => other - one);
  return weight > 0 && weight >= identity ? name : undefined;
}

/** Returns the ETag of a compressed response: each coding of a body is another representation (RFC 9110, 8.8.3.3). */
function codedTag({ etag }: Headers, coding: string): { readonly etag?: string } {
  if (typeof etag !== 'string') return {};
  return { etag: etag.startsWith('W/') ? etag : etag.replace(/"$/, `+${coding}"`) };
}

/** Gives a 304 the ETag of the compressed response that the client has. */
function withStoredTag(req: IncomingMessage, { status, headers, body }: HandlerResponse): HandlerResponse {
  const name = selectCoding(weightsOf(req));
  const coded = name === undefined ? {} : codedTag(headers, name);
  const isStored = coded.etag !== undefined && String(req.headersDistinct['if-none-match']).includes(coded.etag);
  const vary = addVary(headers['vary'], 'Accept-Encoding');
  return { status, headers: { ...headers, ...(isStored && coded), vary }, body };
}

const CODED_TAG = new RegExp(`\\+(?:${Object.keys(CODINGS).join('|')})"`, 'g');

/** Replaces ETags of compressed responses in the conditions of a request by the ETags that handlers know. */
export function removeCodings(headers: IncomingHttpHeaders): void {
  for (const name of ['if-match', 'if-none-match', 'if-range'] as const)
    if (headers[name] !== undefined) headers[name] = String(headers[name]).replaceAll(CODED_TAG, '"');
}
