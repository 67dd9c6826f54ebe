import type { IncomingMessage } from 'node:http';
import { Failure } from './failure.ts';

/** The path and query of a request target. The path of `OPTIONS *` is `*`. */
export type Target = { readonly path: string; readonly query: string };

// RFC 9110, 7.2: uri-host [ ":" port ]; RFC 3986, 3.2.2. A name may be empty.
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w\-.~!$&'()*+,;=]|%[\da-f]{2})*)(?::\d*)?$/i;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)([^]*)$/i;

/**
 * Checks a message for violations of RFC 9110 and 9112 that Node's parser accepts. Intermediaries may disagree on where
 * such a message ends (request smuggling), so its connection must be closed.
 *
 * @returns 400, 417, 501 or 505; `undefined` for a valid message
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
 * Parses a request target in origin-form or absolute-form (RFC 9112, 3.2).
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
  const mark = origin.indexOf('?');
  return mark === -1 ? { path: origin, query: '' } : { path: origin.slice(0, mark), query: origin.slice(mark + 1) };
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

/** RFC 9112, 6.1. The parser has already checked that chunked comes last and that Content-Length is absent. */
function findFramingViolation(req: IncomingMessage): Failure | undefined {
  const values = valuesOf(req, 'transfer-encoding');
  if (values.length === 0) return undefined;
  if (isHttp10(req)) return new Failure(400, 'HTTP/1.0 has no Transfer-Encoding');
  const codings = membersOf(values);
  if (codings.length === 1 && codings[0] === 'chunked') return undefined;
  if (codings.includes('') || codings.indexOf('chunked') !== codings.length - 1) {
    return new Failure(400, 'chunked must be the last transfer coding, and must not be repeated');
  }
  return new Failure(501, 'the only supported transfer coding is chunked');
}

/** RFC 9110, 5.3: only one is allowed. Node ignores all but the first. */
function findContentTypeViolation(req: IncomingMessage): Failure | undefined {
  if (valuesOf(req, 'content-type').length < 2) return undefined;
  return new Failure(400, 'send only one Content-Type header field');
}

/** RFC 9110, 10.1.1. */
function findExpectation(req: IncomingMessage): Failure | undefined {
  if (isHttp10(req) || membersOf(valuesOf(req, 'expect')).every((member) => member === '100-continue'))
    return undefined;
  return new Failure(417, 'the only supported expectation is 100-continue');
}

function isHttp10({ httpVersionMinor }: IncomingMessage): boolean {
  return httpVersionMinor === 0;
}

/** Returns the value of each header field of a name; Node's `headers` keep only the first Host. */
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
