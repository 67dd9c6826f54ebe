import type { IncomingMessage } from 'node:http';
import { parseJson, type JsonTree } from '../contract/json.ts';
import { kindOf, matchMediaType } from '../contract/media-type.ts';
import { findSizeProblem, type Operation } from '../contract/operation.ts';
import type { Problem } from '../contract/problem.ts';
import { readBytes, bodyTooLarge, type ReadLimits } from './bytes.ts';
import { Failure, malformedFailure } from './failure.ts';
import { readMultipartForm, readUrlEncodedForm } from './form.ts';
import { parseItems } from './item-list.ts';
import { decodeUtf8 } from './text-value.ts';

/** A parsed request body. */
export type RequestBody = JsonTree & {
  /** The media type of the contract. */
  readonly mediaType: string;
  /** The media type of the request, with its parameters. */
  readonly contentType: string;
  readonly sizeBytes: number;
  /** The problems of a form's fields, which are not in it. */
  readonly problems?: readonly Problem[];
  /** The files of a form. */
  readonly files?: ReadonlyMap<string, readonly File[]>;
};

/**
 * Reads the body of a request to an operation.
 *
 * @param sendContinue sends 100 Continue; called once the headers are acceptable
 * @returns `undefined` when an optional body is absent
 * @throws {Failure} 400 when it is missing or malformed, 413 when it is too large, 415 for other media types
 * @throws the error of `limits.reserve`
 */
export async function readBody(
  req: IncomingMessage,
  { requestBody }: Operation,
  limits: ReadLimits,
  sendContinue: () => void,
): Promise<RequestBody | undefined> {
  if (requestBody === undefined) return undefined;
  const contentType = req.headers['content-type'] ?? '';
  const documented = Object.keys(requestBody.content);
  if (!hasBody(req) && !allowsEmptyBody(matchMediaType(contentType, documented))) return missingBody(requestBody);
  const mediaType = findMediaType(req, contentType, documented);
  if (Number(req.headers['content-length'] ?? 0) > limits.limitBytes) throw bodyTooLarge(limits.limitBytes);
  sendContinue();
  const bytes = await readBytes(req, limits);
  if (bytes.length === 0 && !allowsEmptyBody(mediaType)) return missingBody(requestBody);
  const common = { mediaType, contentType, sizeBytes: bytes.length };
  const documentedBody = requestBody.content[mediaType] ?? {};
  if (documentedBody.itemList === true) return { ...common, ...parseItems(decodeUtf8(bytes), mediaType) };

  switch (kindOf(mediaType)) {
    case 'json':
      return { ...common, ...readJson(bytes) };
    case 'form':
      return { ...common, ...readUrlEncodedForm(decodeUtf8(bytes), documentedBody) };
    case 'multipart':
      return { ...common, ...(await readMultipartForm(bytes, contentType, documentedBody)) };
    case 'text':
      return { ...common, ...toTree(decodeUtf8(bytes)) };
    case 'binary': {
      const problem = findSizeProblem(bytes.length, documentedBody.bytes);
      if (problem !== undefined) throw malformedFailure('body', problem);
      return { ...common, ...toTree(new Blob([new Uint8Array(bytes)], { type: contentType })) };
    }
  }
}

/**
 * Parses a JSON text without loss of digits.
 *
 * @param subject names the text in messages
 * @throws {Failure} 400 when it is malformed
 */
export function readJson(bytes: Buffer, subject = 'the request body'): JsonTree {
  const text = decodeUtf8(bytes, subject);
  if (text.startsWith('\uFEFF')) throw malformedFailure('body', 'must not start with a byte order mark', subject);
  try {
    return parseJson(text);
  } catch (error) {
    throw malformedFailure('body', `is not valid JSON: ${(error as SyntaxError).message}`, subject);
  }
}

/** An empty body is valid for text, forms and binary, but is not JSON. */
function allowsEmptyBody(mediaType: string | undefined): boolean {
  return mediaType !== undefined && ['text', 'form', 'binary'].includes(kindOf(mediaType));
}

function missingBody({ required }: NonNullable<Operation['requestBody']>): RequestBody | undefined {
  if (required) throw malformedFailure('body', 'is required', 'a request body');
  return undefined;
}

function toTree(value: unknown): JsonTree {
  return { root: { '': value }, sourceDigits: () => undefined };
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

function findMediaType({ headers }: IncomingMessage, contentType: string, documented: readonly string[]): string {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (coding !== '' && coding !== 'identity') {
    throw new Failure(415, 'send the request body without a Content-Encoding', { 'accept-encoding': 'identity' });
  }
  const mediaType = matchMediaType(contentType, documented);
  if (mediaType === undefined) {
    const accepted = documented.join(', ');
    throw new Failure(415, `send the request body as Content-Type: ${accepted}`, { accept: accepted });
  }
  if (kindOf(mediaType) === 'text' && !isUtf8Text(contentType)) {
    throw new Failure(415, 'send text as UTF-8', { accept: `${mediaType}; charset=utf-8` });
  }
  return mediaType;
}

function isUtf8Text(contentType: string): boolean {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1]?.toLowerCase();
  return ['utf-8', 'us-ascii', undefined].includes(charset);
}
