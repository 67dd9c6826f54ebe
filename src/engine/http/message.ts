import type { IncomingMessage } from 'node:http';
import { Failure } from './failure.ts';

/** What a request asks for on this server. The path of `OPTIONS *` is `*`. */
export type Target = { readonly path: string; readonly query: string };

// RFC 9110, 7.2: uri-host [ ":" port ]; RFC 3986, 3.2.2. A name may be empty.
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w\-.~!$&'()*+,;=]|%[\da-f]{2})*)(?::\d*)?$/i;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)([^]*)$/i;

/**
 * Finds what is wrong with a message that the parser takes and RFC 9110 or 9112 do not. Whoever sent it and whoever
 * passed it on may disagree on where it ends, so its connection has to be closed.
 *
 * @returns 400, 417, 501 or 505; `undefined` when nothing is wrong
 */
export function findViolation(req: IncomingMessage): Failure | undefined {
  return (
    findVersionViolation(req) ??
    findHostViolation(req) ??
    findFramingViolation(req) ??
    findContentTypeViolation(req) ??
    findExpectation(req)
  );
}

/**
 * Reads a request target: a path, or a URL, whose path counts here (RFC 9112, 3.2).
 *
 * @throws {Failure} 400 when it is neither
 */
export function readTarget({ method, url = '' }: IncomingMessage): Target {
  if (url === '*' && method === 'OPTIONS') return { path: url, query: '' };
  const [, host, rest = ''] = url.startsWith('/') ? [url, '', url] : (ABSOLUTE_FORM.exec(url) ?? []);
  // RFC 9110, 4.2.1: a URL needs a host.
  if (host === undefined || (host === '' && rest !== url) || !HOST.test(host)) {
    throw new Failure(400, 'the request target must be a path or an http URL');
  }
  const origin = rest.startsWith('/') ? rest : `/${rest}`;
  const at = origin.indexOf('?');
  return at === -1 ? { path: origin, query: '' } : { path: origin.slice(0, at), query: origin.slice(at + 1) };
}

function findVersionViolation({ httpVersionMajor }: IncomingMessage): Failure | undefined {
  return httpVersionMajor === 1 ? undefined : new Failure(505, 'use HTTP/1.1');
}

/** RFC 9112, 3.2. */
function findHostViolation(req: IncomingMessage): Failure | undefined {
  const hosts = valuesOf(req, 'host');
  if (hosts.length === 0 && isHttp10(req)) return undefined;
  if (hosts.length === 1 && hosts.every((host) => HOST.test(host))) return undefined;
  return new Failure(400, 'send exactly one valid Host header field');
}

/** RFC 9112, 6.1. The parser has seen to it that chunked comes last, and that there is no Content-Length. */
function findFramingViolation(req: IncomingMessage): Failure | undefined {
  const values = valuesOf(req, 'transfer-encoding');
  if (values.length === 0) return undefined;
  if (isHttp10(req)) return new Failure(400, 'HTTP/1.0 has no Transfer-Encoding');
  const codings = membersOf(values);
  if (codings.length === 1 && codings[0] === 'chunked') return undefined;
  if (codings.includes('') || codings.indexOf('chunked') !== codings.length - 1) {
    return new Failure(400, 'chunked must be there once, as the last transfer coding');
  }
  return new Failure(501, 'the only transfer coding that can be used is chunked');
}

/** RFC 9110, 5.3: only one is allowed. Node would ignore all but the first. */
function findContentTypeViolation(req: IncomingMessage): Failure | undefined {
  if (valuesOf(req, 'content-type').length < 2) return undefined;
  return new Failure(400, 'send only one Content-Type header field');
}

/** RFC 9110, 10.1.1. */
function findExpectation(req: IncomingMessage): Failure | undefined {
  if (isHttp10(req) || membersOf(valuesOf(req, 'expect')).every((member) => member === '100-continue'))
    return undefined;
  return new Failure(417, 'the only expectation that can be met is 100-continue');
}

function isHttp10({ httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor === 0;
}

/** The values of the header fields of a name, one by one: Node's `headers` keep the first Host only. */
function valuesOf({ headers, rawHeaders }: IncomingMessage, name: string): string[] {
  if (!(name in headers)) return [];
  const values: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === name) values.push(rawHeaders[index + 1] ?? '');
  }
  return values;
}

function membersOf(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).map((member) => member.trim().toLowerCase());
}
