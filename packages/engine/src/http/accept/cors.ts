import type { IncomingMessage } from 'node:http';
import type { Contract, SecurityScheme } from '@contract-first/contract';
import { Failure, methodFailure } from '../failure.ts';
import type { AllowedMethods } from '../router.ts';
import { addVary } from '../headers/vary.ts';

/** Which pages of other origins may read responses (Fetch Standard, CORS protocol). */
export type CorsPolicy = {
  /** The origins as in the Origin header; `*` for any origin. A function decides for each origin. */
  readonly origins: readonly string[] | '*' | ((origin: string) => boolean);
  /** Whether requests may include cookies and client certificates. */
  readonly credentials: boolean;
  /** How long browsers may cache the response to a preflight. */
  readonly maxAgeSeconds: number;
  /** The names of headers that requests may have in addition to the documented headers. */
  readonly requestHeaders?: readonly string[];
  /**
   * Whether every preflight of a page with access is permitted, with the headers and the method that it asks for. The
   * page can then read the failure of the request itself.
   */
  readonly permitsAll?: boolean;
};

/** The CORS protocol for a contract. */
export type Cors = {
  /** Chooses the headers that {@link addCors} adds to the response. */
  readonly decide: (req: IncomingMessage) => void;
  /** Returns the response headers that permit any preflight request. */
  readonly permitAll: (req: IncomingMessage) => Headers | undefined;
  /**
   * Returns the response headers for a preflight request.
   *
   * @throws {Failure} 403 when the origin is not listed, 405 when the path does not have the requested method
   */
  readonly permit: (req: IncomingMessage, allowed: AllowedMethods) => Headers;
};

type Headers = Readonly<Record<string, string>>;

const CORS_HEADERS = Symbol('CORS headers');
type RequestWithCors = IncomingMessage & { [CORS_HEADERS]?: Headers };

// Allowed in every request: the request id, and the W3C's Trace Context and Baggage.
const TRACING = ['X-Request-Id', 'traceparent', 'tracestate', 'baggage'];
// RFC 9110, 5.6.2. Other names are not valid header names.
export const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
// Headers that pages can always read, and headers that only the browser needs.
const NOT_EXPOSED =
  /^(?:access-control-.*|cache-control|content-(?:language|length|type)|expires|last-modified|pragma|vary|x-content-type-options)$/;

/** Creates the CORS protocol for a contract according to a policy. */
export function createCors(
  { origins, credentials, maxAgeSeconds, requestHeaders = [], permitsAll = false }: CorsPolicy,
  contract: Contract,
): Cors {
  const listed = new Set(typeof origins === 'function' ? [] : [origins].flat());
  const hasAccess = typeof origins === 'function' ? origins : (origin: string): boolean => listed.has(origin);
  const headersFor = (origin: string): Headers => ({
    'access-control-allow-origin': origin,
    ...(credentials && { 'access-control-allow-credentials': 'true' }),
    ...(origins !== '*' && { vary: 'Origin' }),
  });
  const other = origins === '*' ? headersFor('*') : { vary: 'Origin' };
  const maxAge = { 'access-control-max-age': String(maxAgeSeconds) };

  return {
    decide(req: RequestWithCors) {
      const { origin } = req.headers;
      req[CORS_HEADERS] = origin !== undefined && hasAccess(origin) ? headersFor(origin) : other;
    },
    permitAll({ headers }) {
      const { origin = '', 'access-control-request-method': method = '' } = headers;
      if (!permitsAll || !hasAccess(origin)) return undefined;
      const names = headers['access-control-request-headers'] ?? '';
      return {
        'access-control-allow-methods': method,
        ...(names !== '' && { 'access-control-allow-headers': names }),
        ...maxAge,
      };
    },
    permit({ headers }, { allow, operations }) {
      const { origin = '', 'access-control-request-method': method = '' } = headers;
      if (origins !== '*' && !hasAccess(origin)) {
        throw new Failure(403, `pages of the origin ${origin} have no access: CORS_ORIGINS does not list it`);
      }
      if (!allow.split(', ').includes(method)) throw methodFailure(allow);
      const names = operations.flatMap(({ parameters, security, requestBody }) => [
        ...parameters.flatMap(({ in: place, name }) => (place === 'header' ? name : [])),
        ...security.flat().flatMap(({ scheme }) => credentialHeader(contract.securitySchemes[scheme])),
        ...(requestBody === undefined ? [] : ['Content-Type']),
      ]);
      return {
        'access-control-allow-methods': allow,
        'access-control-allow-headers': [...new Set([...names, ...TRACING, ...requestHeaders])]
          .filter((name) => TOKEN.test(name))
          .join(', '),
        ...maxAge,
      };
    },
  };
}

/** Whether a request is a CORS preflight (Fetch Standard, CORS-preflight request). */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/**
 * An element of a list in which the names and values of header fields alternate. A value with several texts is sent as
 * several fields.
 */
export type HeaderField = string | string[];

/** Adds the CORS headers to the header fields of a response. An allowed page can read every header of the service. */
export function addCors(req: RequestWithCors, fields: HeaderField[]): void {
  const added = req[CORS_HEADERS];
  if (added === undefined) return;
  const names = fields.filter((_field, index) => index % 2 === 0).map(String);
  for (const [name, value] of Object.entries(added)) {
    const at = indexOfField(fields, name);
    if (at === -1) fields.push(name, value);
    else fields[at] = name === 'vary' ? addVary(fields[at], value) : value;
  }
  if (added['access-control-allow-origin'] === undefined) return;
  fields.push('access-control-expose-headers', names.filter((name) => !NOT_EXPOSED.test(name)).join(', '));
}

/** Returns the index of the value of a header field; -1 without the field. */
export function indexOfField(fields: readonly HeaderField[], name: string): number {
  for (let index = 0; index < fields.length; index += 2) if (fields[index] === name) return index + 1;
  return -1;
}

/** Returns the name of the header that carries the credentials of a scheme; `[]` when no header carries them. */
function credentialHeader({ type = '', in: place, name = '' }: Partial<SecurityScheme> = {}):
  string | readonly string[] {
  if (type === 'apiKey') return place === 'header' ? name : [];
  return type === 'mutualTLS' ? [] : 'Authorization';
}
