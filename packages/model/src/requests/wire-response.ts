import { isUtf8 } from 'node:buffer';

/** A response as received. */
export type WireResponse = {
  readonly status: number;
  /** The headers in order, with lower-case names. */
  readonly headers: readonly (readonly [string, string])[];
  /** The received bytes. */
  readonly body: Buffer;
  /** The size limit at which the response was truncated; `undefined` below the limit. */
  readonly limitBytes: number | undefined;
  /** The time from sending the request to the end of the response. */
  readonly elapsedMs: number;
  /** Whether an earlier request got no response, and all requests since then a 503. */
  readonly isAfterLoss?: boolean;
};

/** The first bytes of a longer sequence. Does not retain the rest in memory. */
export type Excerpt = { readonly bytes: Buffer; readonly totalBytes: number };

/** A response with a body excerpt, kept for reports. */
export type KeptResponse = Omit<WireResponse, 'body'> & { readonly body: Excerpt };

/** The maximum length of an excerpt. */
export const EXCERPT_BYTES = 65_536;
const MAX_CHARACTER_BYTES = 4;

/** Copies the first bytes, without splitting UTF-8 characters. */
export function excerptOf(bytes: Buffer, totalBytes = bytes.length): Excerpt {
  const ends = Array.from({ length: MAX_CHARACTER_BYTES }, (_, index) => EXCERPT_BYTES - index);
  const end = ends.find((length) => isUtf8(bytes.subarray(0, length))) ?? EXCERPT_BYTES;
  return { bytes: Buffer.from(bytes.subarray(0, end)), totalBytes };
}

/** Copies a response with an excerpt of its body. */
export function toKeptResponse(response: WireResponse): KeptResponse {
  return { ...response, body: excerptOf(response.body) };
}
