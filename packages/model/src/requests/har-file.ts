import { readFileSync } from 'node:fs';
import { describeSystemError, escapeToLine } from '@contract-first/contract';
import { syntaxProblem } from '../values/json-tree.ts';
import { CannotCheck } from '../values/oracle.ts';
import type { WireRequest } from './wire-request.ts';
import type { WireResponse } from './wire-response.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** An entry of an HTTP archive. */
export type HarEntry = {
  /** The scheme, host and port of the server; `undefined` for other schemes than http and https. */
  readonly origin: string | undefined;
  readonly exchange: RecordedExchange;
  /** Whether the request got no response, since it was cancelled or blocked, or the connection failed. */
  readonly isAborted: boolean;
};

type Node = Readonly<Record<string, unknown>>;
type Pairs = readonly (readonly [name: string, value: string])[];
type Body = { readonly bytes: Buffer | undefined; readonly isComplete: boolean };

/** Reads the entries of an HTTP archive (HAR 1.2). @throws {CannotCheck} if the archive is invalid */
export function readHar(path: string): readonly HarEntry[] {
  const name = escapeToLine(path);
  let archive: unknown;
  try {
    archive = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const isSyntax = error instanceof SyntaxError;
    const problem = isSyntax ? 'is not an HTTP archive, or is not complete' : 'cannot be read';
    throw new CannotCheck(
      `${name} ${problem}: ${escapeToLine(isSyntax ? syntaxProblem(error) : describeSystemError(error))}`,
      { cause: error },
    );
  }
  const entries = nodeAt(nodeAt(archive, 'log'), 'entries');
  if (!Array.isArray(entries)) throw new CannotCheck(`${name} is not an HTTP archive: it has no list log.entries`);
  return entries.map((entry, index) => readEntry(entry, `entry ${String(index)} of ${name}`));
}

function readEntry(entry: unknown, place: string): HarEntry {
  const missing = (name: string): never => {
    throw new CannotCheck(`${place} has no valid ${name}`);
  };
  const [request, response] = [nodeAt(entry, 'request'), nodeAt(entry, 'response')];
  const url = textAt(request, 'url') ?? missing('request.url');
  const method = textAt(request, 'method') ?? '';
  if (!TOKEN.test(method)) missing('request.method');
  const status = numberAt(response, 'status') ?? missing('response.status');
  const startedDateTime = textAt(entry, 'startedDateTime') ?? missing('startedDateTime');
  const startedAt = new Date(startedDateTime);
  if (Number.isNaN(startedAt.getTime())) missing('startedDateTime');
  const durationMs = durationOf(entry);
  // Archives written by this command have variables in place of credentials, which changes the length of a body.
  const isOwn = nodeAt(entry, '_operation') !== undefined;
  const isWhole = isOwn ? isExactly : isAtLeast;
  const { headers: requestHeaders, ...requestBody } = readRequestBody(request, isWhole);
  const content = readContent(response, method, status, isWhole);
  const isAborted = status <= 0;
  return {
    origin: originOf(url),
    isAborted,
    exchange: {
      request: {
        method: method.toUpperCase(),
        target: targetOf(url),
        headers: requestHeaders,
        body: requestBody.bytes,
      },
      hasAllHeaders: false,
      isRequestComplete: requestBody.isComplete && !(isOwn && hasVariable(url, requestHeaders)),
      response: isAborted ? undefined : { ...content.response, elapsedMs: durationMs },
      isResponseComplete: content.isComplete,
      broken: undefined,
      startedAt,
      durationMs,
      place: `${place}, ${escapeToLine(startedDateTime)}`,
    },
  };
}

// A token (RFC 9110, 5.6.2).
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;

type IsWhole = (bytes: Buffer, size: number) => boolean;

/** Tolerates that tools count the bytes of a body differently. */
const isAtLeast: IsWhole = ({ length }, size) => length >= size;
const isExactly: IsWhole = ({ length }, size) => length === size;

function readRequestBody(request: unknown, isWhole: IsWhole): Body & Pick<WireRequest, 'headers'> {
  const headers = headersOf(request);
  const data = nodeAt(request, 'postData');
  const text = textAt(data, 'text');
  const mimeType = textAt(data, 'mimeType') ?? '';
  const contentType = valueOf(headers, 'content-type');
  const all: Pairs = contentType === undefined && mimeType !== '' ? [...headers, ['Content-Type', mimeType]] : headers;
  const size = Number(valueOf(headers, 'content-length') ?? numberAt(request, 'bodySize') ?? 0);
  if (text === undefined) {
    const params = nodeAt(data, 'params');
    const isEmpty = size <= 0 && contentType === undefined && !(Array.isArray(params) && params.length > 0);
    return { headers: all, bytes: undefined, isComplete: isEmpty };
  }
  // HAR 1.2 defines an encoding only for responses. This command writes `_encoding` for requests.
  const isBase64 = [textAt(data, '_encoding'), textAt(data, 'encoding')].includes('base64');
  const bytes = Buffer.from(text, isBase64 ? 'base64' : 'utf8');
  const isEncoded = valueOf(headers, 'content-encoding') !== undefined;
  return { headers: all, bytes, isComplete: isEncoded || isWhole(bytes, Math.max(size, 0)) };
}

function readContent(
  node: unknown,
  method: string,
  status: number,
  isWhole: IsWhole,
): { readonly response: Omit<WireResponse, 'elapsedMs'>; readonly isComplete: boolean } {
  const content = nodeAt(node, 'content');
  const text = textAt(content, 'text');
  const mimeType = textAt(content, 'mimeType') ?? '';
  const own = headersOf(node).map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers: Pairs = own.length === 0 && mimeType !== '' ? [['content-type', mimeType]] : own;
  const body = Buffer.from(text ?? '', textAt(content, 'encoding') === 'base64' ? 'base64' : 'utf8');
  const size = numberAt(content, 'size') ?? 0;
  const hasNoBody = method === 'HEAD' || status === 204 || status === 304;
  const isThere = text !== undefined || (size === 0 && Number(valueOf(headers, 'content-length') ?? 0) === 0);
  const isComplete = hasNoBody || (isThere && isWhole(body, Math.max(size, 0)));
  return { response: { status, headers, body, limitBytes: undefined }, isComplete };
}

/** Reads headers without HTTP/2 pseudo-headers. Chrome joins several headers with one name by line breaks. */
function headersOf(message: unknown): Pairs {
  const headers = nodeAt(message, 'headers');
  if (!Array.isArray(headers)) return [];
  return headers.flatMap((header: unknown) => {
    const name = textAt(header, 'name') ?? '';
    if (name === '' || name.startsWith(':')) return [];
    return (textAt(header, 'value') ?? '').split('\n').map((value) => [name, value] as const);
  });
}

function valueOf(headers: Pairs, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** Returns whether a variable replaces a part of the URL, or of a header other than Authorization and Cookie. */
function hasVariable(url: string, headers: Pairs): boolean {
  const values = headers.flatMap(([name, value]) => (/^(?:authorization|cookie)$/i.test(name) ? [] : value));
  return [url, ...values].some((text) => /\$[A-Z_][A-Z\d_]*/.test(text));
}

/** Returns the time from sending the request to the end of the response, excluding connection setup. */
function durationOf(entry: unknown): number {
  const timings = nodeAt(entry, 'timings');
  const parts = ['send', 'wait', 'receive'].map((name) => Math.max(0, numberAt(timings, name) ?? 0));
  const sum = parts.reduce((all, part) => all + part, 0);
  return sum > 0 ? sum : Math.max(0, numberAt(entry, 'time') ?? 0);
}

function originOf(url: string): string | undefined {
  const { protocol, origin } = URL.parse(url) ?? {};
  return protocol === 'http:' || protocol === 'https:' ? origin : undefined;
}

/** Returns the request target of a URL. Percent-encodes other than visible ASCII characters, as in a request line. */
function targetOf(url: string): string {
  const [, target = ''] = /^[^:]+:\/\/[^/?#]*([^#]*)/.exec(url) ?? [];
  const sent = target.toWellFormed().replaceAll(/[^!-~]+/g, encodeURIComponent);
  return sent.startsWith('/') ? sent : `/${sent}`;
}

function nodeAt(node: unknown, key: string): unknown {
  return typeof node === 'object' && node !== null ? (node as Node)[key] : undefined; // Not null.
}

function textAt(node: unknown, key: string): string | undefined {
  const value = nodeAt(node, key);
  return typeof value === 'string' ? value : undefined;
}

function numberAt(node: unknown, key: string): number | undefined {
  const value = nodeAt(node, key);
  return typeof value === 'number' ? value : undefined;
}
