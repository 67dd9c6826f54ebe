import type { ApiOperation, BodyContent, ApiParameter } from '../operations/api-operation.ts';
import { writeBody, type BodyBytes } from '../operations/body-bytes.ts';
import type { Credential } from './credentials.ts';
import { isObject, type Json } from '../values/json-value.ts';
import { percentEncode, writeParameter } from './parameter-text.ts';

/** A request as sent. */
export type WireRequest = {
  readonly method: string;
  /** The path and the query. */
  readonly target: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer | undefined;
  /** Whether the request line contains the absolute URL (RFC 9112, 3.2.2). */
  readonly hasWholeUrl?: boolean;
};

/** Returns the names and values of `rawHeaders` of Node, where they alternate. */
export function headerPairs(rawHeaders: readonly string[]): WireRequest['headers'] {
  const names = rawHeaders.filter((_, index) => index % 2 === 0);
  return names.map((name, index) => [name, rawHeaders[2 * index + 1] ?? ''] as const);
}

/** The values of a request, before they are serialized. */
export type RequestInput = {
  readonly parameters: readonly { readonly parameter: ApiParameter; readonly value: Json }[];
  readonly body: { readonly content: BodyContent; readonly value: Json } | undefined;
};

/** Returns the value of a path parameter. */
export function pathValue({ parameters }: RequestInput, wanted: string): Json | undefined {
  return parameters.find(({ parameter: { in: place, name } }) => place === 'path' && name === wanted)?.value;
}

/** Replaces a member of a JSON body, if present. The name of a member of an inner object is a path: `user.email`. */
export function withMember(input: RequestInput, name: string, value: Json): RequestInput {
  const { body } = input;
  const changed = body && replaceMember(body.value, name, value);
  return body === undefined || changed === undefined ? input : { ...input, body: { ...body, value: changed } };
}

function replaceMember(outer: Json, name: string, value: Json): Json | undefined {
  if (!isObject(outer)) return undefined;
  if (Object.hasOwn(outer, name)) return { ...outer, [name]: value };
  const [first = '', ...rest] = name.split('.');
  const inner = rest.length > 0 && Object.hasOwn(outer, first) ? outer[first] : undefined;
  const changed = inner === undefined ? undefined : replaceMember(inner, rest.join('.'), value);
  return changed === undefined ? undefined : { ...outer, [first]: changed };
}

/** Returns whether the body of a request is sent in chunks. */
export function isChunked({ headers }: WireRequest): boolean {
  return headers.some(([name]) => name === 'Transfer-Encoding');
}

// RFC 6265, 4.1.1.
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;

/**
 * Serializes a request.
 *
 * @returns `undefined` if a parameter's style cannot represent its value, or if the path would be ambiguous
 */
export function writeRequest(
  { method, path }: Pick<ApiOperation, 'method' | 'path'>,
  { parameters, body }: RequestInput,
  credentials: readonly Credential[],
): WireRequest | undefined {
  const pairs: Record<ApiParameter['in'], (readonly [string, string])[]> = {
    path: [],
    query: [],
    header: [],
    cookie: [],
  };
  for (const { parameter, value } of parameters) {
    const written = writeParameter(parameter, value);
    if (written === undefined) return undefined;
    pairs[parameter.in].push(...written);
  }
  for (const { in: location, name, value } of credentials) {
    // Cookies are sent as set by the server (RFC 6265, 5.4).
    const isWritten = location === 'header' || (location === 'cookie' && COOKIE_VALUE.test(value));
    pairs[location].push([name, isWritten ? value : percentEncode(value)]);
  }

  const inPath = new Map(pairs.path);
  const filled = path.replaceAll(/\{([^}]+)\}/g, (whole, name: string) => inPath.get(percentEncode(name)) ?? whole);
  if (isAmbiguous(path, inPath)) return undefined;
  const query = pairs.query.map((pair) => pair.join('=')).join('&');
  const cookie = pairs.cookie.map((pair) => pair.join('=')).join('; ');
  const headers = [...pairs.header, ...(cookie === '' ? [] : [['Cookie', cookie] as const])];
  const request = { method, target: query === '' ? filled : `${filled}?${query}`, headers, body: undefined };
  return body === undefined ? request : withBody(request, writeBody(body.content, body.value));
}

/** Returns whether a value contains its own delimiter in the path: `1.5` in `{id}.{format}`, any value in `{a}{b}`. */
function isAmbiguous(path: string, values: ReadonlyMap<string, string>): boolean {
  return [...path.matchAll(/\{([^{}]+)\}([^{}/]*)(?=\{)/g)].some(([, name = '', separator = '']) =>
    values.get(percentEncode(name))?.includes(separator),
  );
}

/** Copies a request with a different body. */
export function withBody(request: WireRequest, { contentType, bytes }: BodyBytes): WireRequest {
  const kept = request.headers.filter(([name]) => name !== 'Content-Type');
  return { ...request, headers: [...kept, ['Content-Type', contentType]], body: bytes };
}
