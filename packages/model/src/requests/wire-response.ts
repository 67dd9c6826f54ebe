import { isUtf8 } from 'node:buffer';

/** A response as received. */
export type WireResponse = {
  readonly status: number;
  /** In the order of arrival, names in lower case. */
  readonly headers: readonly (readonly [string, string])[];
  /** The bytes that arrived. */
  readonly body: Buffer;
  /** The size limit at which the response was cut off; `undefined` for a whole one. */
  readonly limitBytes: number | undefined;
  /** The time from sending the request to the end of the response. */
  readonly elapsedMs: number;
};

/** The first bytes of a longer sequence. They hold no memory of the rest. */
export type Excerpt = { readonly bytes: Buffer; readonly totalBytes: number };

/** A response as evidence, which is kept for the reports. */
export type KeptResponse = Omit<WireResponse, 'body'> & { readonly body: Excerpt };

/** The length of an excerpt. */
export const EXCERPT_BYTES = 65_536;
const MAX_CHARACTER_BYTES = 4;

/** Copies the first bytes, of UTF-8 only whole characters. */
export function excerptOf(bytes: Buffer, totalBytes = bytes.length): Excerpt {
  const ends = Array.from({ length: MAX_CHARACTER_BYTES }, (_, index) => EXCERPT_BYTES - index);
  const end = ends.find((length) => isUtf8(bytes.subarray(0, length))) ?? EXCERPT_BYTES;
  return { bytes: Buffer.from(bytes.subarray(0, end)), totalBytes };
}

/** Copies a response without the rest of a long body. */
export function keep(response: WireResponse): KeptResponse {
  return { ...response, body: excerptOf(response.body) };
}
