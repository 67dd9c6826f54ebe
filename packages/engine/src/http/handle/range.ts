import { Failure } from '../failure.ts';
import type { AnyReply } from '../reply/response.ts';

/** The first and the last byte of a part. */
type Part = { readonly first: number; readonly last: number };

/**
 * Replaces a reply with bytes or a `Blob` by the part that a request wants (RFC 9110, 14). Other bodies, and requests
 * for several parts, get the whole body.
 *
 * @param range the field `Range`
 * @param mayRefuse whether the document has 416
 * @throws {Failure} 416 for a part behind the end
 */
export function sliceBody(reply: AnyReply, range: string | undefined, mayRefuse: boolean): AnyReply {
  const { body } = reply;
  if (!(body instanceof Blob || body instanceof Uint8Array)) return reply;
  const sizeBytes = body instanceof Blob ? body.size : body.byteLength;
  const whole = { ...reply, headers: { ...reply.headers, 'Accept-Ranges': 'bytes' } };
  const part = range === undefined ? undefined : findPart(range, sizeBytes);
  if (part === undefined || (part === 'unsatisfiable' && !mayRefuse)) return whole;
  const size = String(sizeBytes);
  if (part === 'unsatisfiable')
    throw new Failure(416, `the body has ${size} bytes`, { 'content-range': `bytes */${size}` });
  const { first, last } = part;
  const slice = body instanceof Blob ? body.slice(first, last + 1) : body.subarray(first, last + 1);
  const contentRange = `bytes ${String(first)}-${String(last)}/${size}`;
  return { ...whole, status: 206, headers: { ...whole.headers, 'Content-Range': contentRange }, body: slice };
}

/** Finds the part that a field names. Returns `undefined` for a malformed field, another unit or several parts. */
function findPart(range: string, sizeBytes: number): Part | 'unsatisfiable' | undefined {
  const [, start = '', end = ''] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(range) ?? [];
  if (start === '' && end === '') return undefined;
  if (start !== '' && end !== '' && Number(start) > Number(end)) return undefined;
  const first = start === '' ? Math.max(0, sizeBytes - Number(end)) : Number(start);
  const last = start === '' || end === '' ? sizeBytes - 1 : Math.min(Number(end), sizeBytes - 1);
  return first > last ? 'unsatisfiable' : { first, last };
}
