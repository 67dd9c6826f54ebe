import type { IncomingMessage, ServerResponse } from 'node:http';
import { addCors, indexOfField, type HeaderField } from '../accept/cors.ts';
import { requestIdOf } from '../accept/request-ids.ts';
import type { HandlerResponse, HeaderFields } from './response.ts';

// Fields that frame the message or control the connection (RFC 9110, 7.6.1). Only the engine writes them.
const FRAMING: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'keep-alive',
  'trailer',
  'transfer-encoding',
]);
// Fields of the body that middleware may have set for a response of its own.
const DROPPED = ['content-length', 'trailer'];
// Fields that middleware may also have set.
const MERGED = ['set-cookie', 'vary'];
const NOT_ASCII = /[^\0-\x7F]/;
const NO_BYTES = new Uint8Array();

/** Returns the headers of every response: no caching, no MIME sniffing, and the request id. */
export function commonHeaders(requestId: string): Record<string, string> {
  return { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store', 'x-request-id': requestId };
}

/** Writes the header of a response. @param length the Content-Length; `undefined` for none */
export function writeHead(
  req: IncomingMessage,
  res: ServerResponse,
  { status, headers }: HandlerResponse,
  length: number | undefined,
): void {
  if (!req.complete) res.shouldKeepAlive = false;
  // Names and values alternate, since Node writes a list faster than an object.
  const fields: HeaderField[] = [];
  let isAscii = true;
  const common = commonHeaders(requestIdOf(req));
  for (const name in common) if (headers[name] === undefined) fields.push(name, common[name] ?? '');
  for (const name in headers) {
    if (FRAMING.has(name)) continue;
    const value = headers[name] as HeaderField;
    fields.push(name, value);
    if (NOT_ASCII.test(String(value))) isAscii = false;
  }
  if (length !== undefined) fields.push('content-length', String(length));
  addCors(req, fields);
  for (const name of DROPPED) if (res.hasHeader(name)) res.removeHeader(name);
  for (const name of MERGED) {
    const present = res.getHeader(name); // Set by middleware.
    const at = present === undefined ? -1 : indexOfField(fields, name);
    if (at !== -1) fields[at] = [present, fields[at]].flat().map(String);
  }
  res.writeHead(status, fields);
  // Forces Latin-1: Node would encode the header in UTF-8 together with a text body.
  if (!isAscii) res.write(NO_BYTES);
}

/** Returns the Content-Length that a handler has set. A longer stream is cut off. */
export function declaredLength({ 'content-length': value }: HeaderFields): number | undefined {
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
