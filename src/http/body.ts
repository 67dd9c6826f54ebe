import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { parseJson, type JsonText } from '../contract/json.ts';
import type { Operation } from '../contract/operation.ts';
import { Failure } from './failure.ts';

/** A request body: the media type of the contract that it was sent as, and what it says. */
export type RequestBody = { readonly mediaType: string; readonly json: JsonText };

/**
 * Reads the body of a request to an operation.
 *
 * @returns `undefined` when there is none and none is required
 * @throws {Failure} 400 when it is missing or not JSON in UTF-8, 413 when it is too large, 415 when it is something else
 */
export async function readBody(
  req: IncomingMessage,
  { requestBody }: Operation,
  limitBytes: number,
): Promise<RequestBody | undefined> {
  if (requestBody === undefined) return undefined;
  if (!announcesBody(req)) {
    if (requestBody.required) throw new Failure(400, 'a request body is required');
    return undefined;
  }
  const mediaType = matchMediaType(req, Object.keys(requestBody.content));
  return { mediaType, json: parse(decode(await readBytes(req, limitBytes))) };
}

function announcesBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Media types are compared without their case and parameters (RFC 9110, 8.3.1). */
function matchMediaType({ headers }: IncomingMessage, documented: readonly string[]): string {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (coding !== 'identity') {
    throw new Failure(415, 'send the request body without a Content-Encoding', { 'Accept-Encoding': 'identity' });
  }
  const sent = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  const match = documented.find((mediaType) => mediaType.toLowerCase() === sent);
  if (match !== undefined) return match;
  const accepted = documented.join(', ');
  throw new Failure(415, `send the request body as Content-Type: ${accepted}`, { Accept: accepted });
}

async function readBytes(req: IncomingMessage, limitBytes: number): Promise<Buffer> {
  try {
    return await getRawBody(req, { limit: limitBytes, length: req.headers['content-length'] ?? null });
  } catch (error) {
    const { type } = error as getRawBody.RawBodyError;
    if (type === 'entity.too.large') {
      throw new Failure(413, `the request body must not be larger than ${String(limitBytes)} bytes`);
    }
    throw new Failure(400, 'the request body ended early');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): string {
  let text;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw new Failure(400, 'the request body must be encoded in UTF-8');
  }
  if (text.startsWith('\uFEFF')) throw new Failure(400, 'the request body must not start with a byte order mark');
  return text;
}

function parse(text: string): JsonText {
  try {
    return parseJson(text);
  } catch (error) {
    throw new Failure(400, `the request body is not valid JSON: ${(error as SyntaxError).message}`);
  }
}
