import { pipeline, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Failure, malformedFailure } from '../failure.ts';
import { checkBodySize } from './body-limit.ts';
import type { ReadLimits } from './bytes.ts';
import { splitFrames } from './zstd-frames.ts';

/** A content coding of request bodies. */
export type RequestCoding = {
  readonly name: string;
  /** The maximum memory of a decoder, which holds the data that later data may repeat. */
  readonly windowBytes: number;
  readonly createDecoder: () => Transform & { readonly bytesWritten: number };
  /** Splits a body into chunks that the decoder reads to their end. */
  readonly split?: (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;
};

/** The content codings by name. Without the setting, there are none. */
export type RequestCodings = ReadonlyMap<string, RequestCoding>;

export const NO_CODINGS: RequestCodings = new Map();

// RFC 9659 limits the window of zstd in HTTP.
const ZSTD_WINDOW_LOG = 23;
const LIST: readonly RequestCoding[] = [
  { name: 'gzip', windowBytes: 2 ** 15, createDecoder: () => createGunzip() },
  { name: 'deflate', windowBytes: 2 ** 15, createDecoder: () => createInflate() },
  { name: 'br', windowBytes: 2 ** 24, createDecoder: () => createBrotliDecompress() },
  {
    name: 'zstd',
    windowBytes: 2 ** ZSTD_WINDOW_LOG,
    createDecoder: () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG } }),
    split: splitFrames,
  },
];
export const REQUEST_CODINGS: RequestCodings = new Map(LIST.map((coding) => [coding.name, coding]));

/**
 * Decompresses a request body while it arrives. Stops at the size limit, however much the body would expand to. An
 * empty body stays empty.
 *
 * @throws {Failure} 400 when the body is malformed or ends early, 413 when it is larger than the limit
 * @throws the error of `reserve`, and the errors of the chunks
 */
export async function* decompress(
  chunks: AsyncIterable<Buffer>,
  { name, windowBytes, createDecoder, split = (whole) => whole }: RequestCoding,
  limits: ReadLimits,
): AsyncGenerator<Buffer, void> {
  const { limitBytes } = limits;
  limits.reserve(Math.min(windowBytes, limitBytes)); // A decoder uses no more memory than it has produced.
  const decoder = createDecoder();
  let receivedBytes = 0;
  let sourceError: unknown;
  async function* received(): AsyncGenerator<Buffer, void> {
    try {
      for await (const chunk of chunks) {
        receivedBytes += chunk.length;
        yield chunk;
      }
    } catch (error) {
      sourceError = error;
      throw error;
    }
  }
  let sizeBytes = 0;
  try {
    pipeline(split(received()), decoder, () => undefined); // The iterator throws the same error.
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      checkBodySize(sizeBytes, limitBytes);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Failure || error === sourceError) throw error;
    if (receivedBytes === 0) return; // A proxy may forward a request without a body with an empty chunked body.
    throw malformedFailure('body', `is not valid ${name}`, 'the request body');
  }
  // Decoders ignore data after the end.
  if (decoder.bytesWritten < receivedBytes)
    throw malformedFailure('body', `has data after the end of its ${name}`, 'the request body');
}
