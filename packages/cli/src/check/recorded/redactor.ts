import { isUtf8 } from 'node:buffer';
import type { OpenApiDocument } from '@contract-first/documents';
import type { ApiOperation, SecurityScheme } from '../../operations/api-operation.ts';
import type { WireRequest } from '../../requests/wire-request.ts';
import {
  EXCERPT_BYTES,
  excerptOf,
  type Excerpt,
  type KeptResponse,
  type WireResponse,
} from '../../requests/wire-response.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** Replaces the credentials of recorded exchanges by names of variables, such as `$TOKEN`. */
export type Redactor = {
  /** Remembers the credentials of an exchange. */
  readonly learn: (exchange: Pick<RecordedExchange, 'request' | 'response'>) => void;
  readonly text: (text: string) => string;
  readonly request: (request: WireRequest) => WireRequest;
  readonly response: (response: WireResponse) => KeptResponse;
  readonly excerpt: (excerpt: Excerpt) => Excerpt;
  /** Lists the variables in a request. */
  readonly variablesIn: (request: WireRequest) => readonly string[];
};

type Learned = { readonly variable: string; readonly spellings: readonly string[] };

// Shorter values of names that the document does not declare occur by chance, such as `dark` in a cookie.
const GUESSED_CHARS = 8;
// Hiding a text of one or two characters would make the output unreadable.
const LEAST_CHARS = 3;
// Each costs time for every text. The oldest are forgotten: texts are redacted when they are recorded.
const MAX_LEARNED = 256;
// Reports show the first bytes only, and redaction may move others there.
const REDACTED_BYTES = 2 * EXCERPT_BYTES;
const SCHEME = /^(?:basic|bearer|digest|negotiate)$/i;
const SECRET_NAME =
  /^(?:x[-_])?(?:(?:access|refresh|id|auth|session|bearer|csrf|xsrf)[-_]?)*token$|passw(?:or)?d|secret|api[-_]?key/i;

/**
 * Creates a redactor of credentials: those of the document's security schemes, cookies, and values that are named as such.
 *
 * @param operations their parameters name the cookies that are not credentials
 */
export function createRedactor(document: OpenApiDocument, operations: readonly ApiOperation[]): Redactor {
  const { securitySchemes = {} } = (document['components'] ?? {}) as {
    readonly securitySchemes?: Readonly<Record<string, SecurityScheme>>; // The linter has checked this shape.
  };
  const keys = Object.values(securitySchemes).flatMap(({ type, in: place = 'header', name = '' }) =>
    type === 'apiKey' ? [`${place} ${place === 'header' ? name.toLowerCase() : name}`] : [],
  );
  const cookies = new Set(
    operations.flatMap(({ parameters }) => parameters.flatMap((one) => (one.in === 'cookie' ? one.name : []))),
  );
  const learned = new Map<string, Learned>();
  const counts = new Map<string, number>();
  return { learn, text, request, response, excerpt, variablesIn };

  function learn({ request, response }: Pick<RecordedExchange, 'request' | 'response'>): void {
    const [, query = ''] = request.target.split(/\?(.*)/s);
    for (const [name, value] of new URLSearchParams(query)) learnNamed('query', name, value);
    for (const [name, value] of [...request.headers, ...(response?.headers ?? [])])
      learnHeader(name.toLowerCase(), value);
    for (const body of [request.body, response?.body])
      if (body !== undefined) learnBody(body.subarray(0, REDACTED_BYTES).toString());
  }

  function learnHeader(name: string, value: string): void {
    if (name === 'cookie') for (const pair of value.split(/; */)) learnCookie(pair);
    else if (name === 'set-cookie') learnCookie(value.replace(/;.*/s, ''));
    else if (name === 'authorization' || name === 'proxy-authorization') learnAuthorization(value);
    else learnNamed('header', name, value);
  }

  function learnAuthorization(value: string): void {
    const [, scheme = '', credentials = value] = /^(\S+) +(.+)$/.exec(value) ?? [];
    if (SCHEME.test(credentials)) return;
    const isBasic = scheme.toLowerCase() === 'basic';
    add(isBasic ? 'BASIC' : 'TOKEN', credentials, LEAST_CHARS);
    if (!isBasic) return;
    const pair = Buffer.from(credentials, 'base64').toString();
    add('PASSWORD', pair.slice(pair.indexOf(':') + 1), LEAST_CHARS);
  }

  function learnCookie(pair: string): void {
    const [name = '', ...rest] = pair.split('=');
    const isKey = keys.includes(`cookie ${name}`);
    if (isKey || !cookies.has(name)) add(name, rest.join('='), isKey ? LEAST_CHARS : GUESSED_CHARS);
  }

  function learnNamed(place: 'query' | 'header', name: string, value: string): void {
    if (keys.includes(`${place} ${name}`)) add(name, value, LEAST_CHARS);
    else if (SECRET_NAME.test(name)) add(name, value, GUESSED_CHARS);
  }

  /** Looks for named values in JSON, also where it is cut, and in forms. */
  function learnBody(body: string): void {
    for (const [, name = '', literal = ''] of body.matchAll(/"([\w-]{1,64})"\s*:\s*"((?:[^"\\]|\\.)*)"/g))
      if (SECRET_NAME.test(name)) add(name, literal, GUESSED_CHARS);
    if (!/^[\w.%-]+=/.test(body)) return;
    for (const [name, value] of new URLSearchParams(body)) if (SECRET_NAME.test(name)) add(name, value, GUESSED_CHARS);
  }

  function add(name: string, value: string, least: number): void {
    if (value.length < least || learned.has(value)) return;
    const base =
      name
        .toUpperCase()
        .replaceAll(/[^A-Z\d]+/g, '_')
        .replace(/^(?=\d)/, '_') || 'SECRET';
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    learned.set(value, { variable: count === 1 ? base : `${base}_${String(count)}`, spellings: spellingsOf(value) });
    const [oldest] = learned.keys();
    if (learned.size > MAX_LEARNED && oldest !== undefined) learned.delete(oldest);
  }

  function text(shown: string): string {
    let hidden = shown;
    for (const { variable, spellings } of learned.values())
      for (const spelling of spellings) hidden = hidden.replaceAll(spelling, () => `$${variable}`);
    return hidden;
  }

  function request(sent: WireRequest): WireRequest {
    const { target, headers, body } = sent;
    return {
      ...sent,
      target: text(target),
      headers: headers.map(([name, value]) => [name, text(value)] as const),
      body: body && Buffer.concat([bytes(body.subarray(0, REDACTED_BYTES)), body.subarray(REDACTED_BYTES)]),
    };
  }

  function response({ body, headers, ...rest }: WireResponse): KeptResponse {
    const shown = excerptOf(bytes(body.subarray(0, REDACTED_BYTES)), body.length);
    return { ...rest, headers: headers.map(([name, value]) => [name, text(value)] as const), body: shown };
  }

  function excerpt({ bytes: received, totalBytes }: Excerpt): Excerpt {
    return { bytes: bytes(received), totalBytes };
  }

  function bytes(shown: Buffer): Buffer {
    const encoding = isUtf8(shown) ? 'utf8' : 'latin1';
    return Buffer.from(text(shown.toString(encoding)), encoding);
  }

  function variablesIn({ target, headers, body }: WireRequest): readonly string[] {
    const all = [target, ...headers.map(([, value]) => value), body?.toString() ?? ''].join('\n');
    return [...learned.values()].map(({ variable }) => variable).filter((variable) => all.includes(`$${variable}`));
  }
}

/** Returns the spellings of a credential in headers, URLs, forms, JSON and base64. */
function spellingsOf(value: string): readonly string[] {
  const encoded = encodeURIComponent(value.toWellFormed());
  const base64 = value.length < GUESSED_CHARS ? [] : [Buffer.from(value).toString('base64').replace(/=+$/, '')];
  const json = JSON.stringify(value).slice(1, -1);
  return [...new Set([value, encoded, encoded.replaceAll('%20', '+'), json, ...base64])];
}
