import type { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { GrowingBytes } from '@contract-first/model/requests';

/** The body of a message that passes through, up to a limit. */
export type PassingBody = {
  readonly bytes: () => Buffer;
  /** Whether more bytes have passed than were kept. */
  readonly isCut: () => boolean;
};

// Longer bodies are forwarded, but not judged.
const MAX_BODY_BYTES = 16_777_216;

/** Keeps the first bytes of a stream that another consumer reads. */
export function keepPassing(stream: Readable): PassingBody {
  const content = new GrowingBytes();
  let passedBytes = 0;
  let isCut = false;
  stream.on('data', (chunk: Buffer) => {
    passedBytes += chunk.length;
    isCut ||= passedBytes > MAX_BODY_BYTES;
    if (!isCut) content.append(chunk);
  });
  return { bytes: () => content.bytes(), isCut: () => isCut };
}

const DECODERS: Readonly<Record<string, (bytes: Buffer, options: { readonly maxOutputLength: number }) => Buffer>> = {
  gzip: gunzipSync,
  'x-gzip': gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** Decompresses a body; returns `undefined` for an unknown coding, and for a body that is damaged or too long. */
export function decodeBody(bytes: Buffer, contentEncoding: string | undefined): Buffer | undefined {
  const codings = (contentEncoding ?? '').split(',').map((coding) => coding.trim().toLowerCase());
  try {
    return codings.reduceRight((decoded: Buffer | undefined, coding) => {
      if (coding === '' || coding === 'identity' || decoded?.length === 0) return decoded;
      return decoded && DECODERS[coding]?.(decoded, { maxOutputLength: MAX_BODY_BYTES });
    }, bytes);
  } catch {
    return undefined;
  }
}
