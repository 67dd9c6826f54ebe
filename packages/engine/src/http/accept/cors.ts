import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import type { Contract, SecurityScheme } from '@contract-first/contract';
import { Failure, methodFailure } from '../failure.ts';
import type { Allowed } from '../router.ts';

/** Says which pages of other origins may read responses: the CORS protocol of the Fetch Standard. */
export type CorsPolicy = {
  /** Spelled as in the Origin header; `*` for any origin. */
  readonly origins: readonly string[] | '*';
  /** Whether requests may have cookies and client certificates. */
  readonly credentials: boolean;
  /** How long browsers may cache the response to a preflight. */
  readonly maxAgeSeconds: number;
};

/** The CORS protocol for a contract. */
export type Cors = {
  /** Decides on the headers that {@link withCors} adds to the response to a request. */
  readonly decide: (req: IncomingMessage) => void;
  /**
   * Returns the headers that answer a preflight.
   *
   * @throws {Failure} 403 when the origin is not listed, 405 when the path does not have the requested method
   */
  readonly permit: (req: IncomingMessage, allowed: Allowed) => Headers;
};

type Headers = Readonly<Record<string, string>>;

const CORS_HEADERS = Symbol('CORS headers');
type RequestWithCors = IncomingMessage & { [CORS_HEADERS]?: Headers };

// Any request may have them: the id of a request, Trace Context and Baggage of the W3C.
const TRACING = ['X-Request-Id', 'traceparent', 'tracestate', 'baggage'];
// RFC 9110, 5.6.2. No request can have a header with another name.
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/;
// Pages can read some headers in any case; the others are for the browser.
const NOT_EXPOSED =
  /^(?:access-control-.*|cache-control|content-(?:language|length|type)|expires|last-modified|pragma|vary|x-content-type-options)$/;

/** Creates the CORS protocol for a contract. The pages that may read responses are those of the policy. */
export function createCors({ origins, credentials, maxAgeSeconds }: CorsPolicy, contract: Contract): Cors {
  const decisions = new Map(
    [origins].flat().map((origin): [string, Headers] => [
      origin,
      {
        'access-control-allow-origin': origin,
        ...(credentials && { 'access-control-allow-credentials': 'true' }),
        ...(origins !== '*' && { vary: 'Origin' }),
      },
    ]),
  );
  const other = decisions.get('*') ?? { vary: 'Origin' };

  return {
    decide(req: RequestWithCors) {
      req[CORS_HEADERS] = decisions.get(req.headers.origin ?? '') ?? other;
    },
    permit({ headers }, { allow, operations }) {
      const { origin = '', 'access-control-request-method': method = '' } = headers;
      if (origins !== '*' && !decisions.has(origin)) {
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
        'access-control-allow-headers': [...new Set([...names, ...TRACING])]
          .filter((name) => TOKEN.test(name))
          .join(', '),
        'access-control-max-age': String(maxAgeSeconds),
      };
    },
  };
}

/** Returns whether a request asks for permission for another (Fetch Standard, CORS-preflight request). */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined;
}

/** Adds the CORS headers to those of a response; a page that has access can read every header of the service. */
export function withCors(req: RequestWithCors, headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const added = req[CORS_HEADERS];
  if (added === undefined) return headers;
  const all: OutgoingHttpHeaders = { ...headers, ...added };
  if (headers.vary !== undefined && added['vary'] !== undefined) all.vary = `${headers.vary}, ${added['vary']}`;
  if (added['access-control-allow-origin'] !== undefined) {
    const exposed = Object.keys(headers).filter((name) => !NOT_EXPOSED.test(name));
    all['access-control-expose-headers'] = exposed.join(', ');
  }
  return all;
}

/** Returns the name of the header with the credentials of a scheme; `[]` when they are elsewhere. */
function credentialHeader({ type = '', in: place, name = '' }: Partial<SecurityScheme> = {}):
  string | readonly string[] {
  if (type === 'apiKey') return place === 'header' ? name : [];
  return type === 'mutualTLS' ? [] : 'Authorization';
}
