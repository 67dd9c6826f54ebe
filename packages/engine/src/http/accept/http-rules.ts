import type { IncomingMessage } from 'node:http';
import { Failure } from '../failure.ts';

/** The path and query of a request target. The path of `OPTIONS *` is `*`. */
type RequestTarget = { readonly path: string; readonly query: string };

/** The value of a Host header: `uri-host [ ":" port ]` (RFC 9110, 7.2; RFC 3986, 3.2.2). A name may be empty. */
export const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w\-.~!$&'()*+,;=]|%[\da-f]{2})*)(?::\d*)?$/i;
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)([^]*)$/i;

/**
 * Checks a message for violations of RFC 9110 and 9112 that Node's parser accepts. Intermediaries may disagree on where
 * such a message ends (request smuggling), so its connection must be closed.
 *
 * @returns a failure with status 400, 417, 501 or 505; `undefined` for a valid message
 */
export function findViolation(req: IncomingMessage): Failure | undefined {
  if (req.httpVersionMajor !== 1) return new Failure(505, 'use HTTP/1.1');
  const isHttp10 = req.httpVersionMinor === 0;

  // RFC 9112, 3.2.
  const { headers } = req;
  const hosts = countFields(req, 'host');
  if (!(hosts === 1 && HOST.test(headers.host ?? '')) && !(hosts === 0 && isHttp10)) {
    return new Failure(400, 'send exactly one valid Host header field');
  }

  // RFC 9112, 6.1. The parser has already checked that chunked comes last and that Content-Length is absent.
  const codings = membersOf(headers['transfer-encoding']);
  if (codings.length > 0 && isHttp10) return new Failure(400, 'HTTP/1.0 has no Transfer-Encoding');
  if (codings.includes('') || (codings.length > 0 && codings.indexOf('chunked') !== codings.length - 1)) {
    return new Failure(400, 'chunked must be the last transfer coding, and must not be repeated');
  }
  if (codings.length > 1) return new Failure(501, 'the only supported transfer coding is chunked');

  // RFC 9110, 5.3: only one Content-Type is allowed. Node ignores all but the first.
  if (countFields(req, 'content-type') > 1) return new Failure(400, 'send only one Content-Type header field');

  // RFC 9110, 10.1.1.
  if (!isHttp10 && membersOf(headers.expect).some((member) => member !== '100-continue')) {
    return new Failure(417, 'the only supported expectation is 100-continue');
  }
  return undefined;
}

/**
 * Parses a request target.
 *
 * @throws {Failure} 400 when the target is neither a path nor an http URL, or is `*` in a method other than OPTIONS
 */
export function readTarget({ method, url = '' }: IncomingMessage): RequestTarget {
  const target = withoutOrigin(url);
  if (target === undefined || (target === '*' && method !== 'OPTIONS')) throw invalidTargetFailure();
  const mark = target.indexOf('?');
  return mark === -1 ? { path: target, query: '' } : { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

/** Creates the failure for a request target that is not valid. */
export function invalidTargetFailure(): Failure {
  return new Failure(400, 'the request target must be a path or an http URL');
}

/**
 * Converts a request target in absolute-form to origin-form (RFC 9112, 3.2). Returns `undefined` when it is not valid.
 */
export function withoutOrigin(target: string): string | undefined {
  if (target.startsWith('/') || target === '*') return target;
  const [, host = '', rest = ''] = ABSOLUTE_FORM.exec(target) ?? [];
  if (host === '' || !HOST.test(host)) return undefined; // RFC 9110, 4.2.1: a URL needs a host.
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Counts the header fields with a name. Node's `headers` keeps only the first value of some fields. */
export function countFields({ headers, rawHeaders }: IncomingMessage, name: string): number {
  if (headers[name] === undefined) return 0;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const field = rawHeaders[index];
    if (field?.length === name.length && field.toLowerCase() === name) count += 1;
  }
  return count;
}

const NO_MEMBERS: readonly string[] = [];

/** Returns the members of a comma-separated list, in lower case. Node joins repeated fields with commas. */
function membersOf(value: string | undefined): readonly string[] {
  return value?.split(',').map((member) => member.trim().toLowerCase()) ?? NO_MEMBERS;
}
