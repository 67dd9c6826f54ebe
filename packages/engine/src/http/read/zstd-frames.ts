import { malformedFailure } from '../failure.ts';

// Decoding a frame takes about 20 µs, even if it is empty.
const MAX_FRAMES = 1_000;

/**
 * Splits zstd data at the ends of its frames (RFC 8878, 3.1): Node's decoder ignores the rest of a chunk in which a frame
 * ends.
 *
 * @throws {Failure} 400 for too many frames
 * @throws the errors of the chunks
 */
export async function* splitFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  let frame = readFrame();
  let size = sizeOf(frame.next());
  let missing = size;
  let field = 0;
  let frames = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let at = 0; at < chunk.length;) {
      const count = Math.min(missing, chunk.length - at);
      if (size <= MAX_FIELD_BYTES) field += chunk.readUIntLE(at, count) * 2 ** (8 * (size - missing));
      at += count;
      missing -= count;
      while (missing === 0) {
        let next = frame.next(field);
        if (next.done === true) {
          frames += 1;
          if (frames > MAX_FRAMES)
            throw malformedFailure('body', `has more than ${String(MAX_FRAMES)} frames`, 'the request body');
          yield chunk.subarray(start, at);
          start = at;
          frame = readFrame();
          next = frame.next();
        }
        size = missing = sizeOf(next);
        field = 0;
      }
    }
    if (start < chunk.length) yield chunk.subarray(start);
  }
}

const MAX_FIELD_BYTES = 4;

function sizeOf({ value }: IteratorResult<number, void>): number {
  return value ?? 0;
}

const SKIPPABLE = 0x184d2a50;
const RUN = 1;

/** Yields the size of each field of a frame, and receives its value: a little-endian number, if it has up to 4 bytes. */
function* readFrame(): Generator<number, void, number> {
  const magic = yield 4;
  if (magic - (magic % 16) === SKIPPABLE) {
    const size = yield 4;
    yield size;
    return;
  }
  const descriptor = yield 1;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const windowBytes = isSingleSegment ? 0 : 1;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const contentSizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  yield windowBytes + dictionaryBytes + contentSizeBytes;
  let block: number;
  do {
    block = yield 3;
    const type = (block >> 1) & 3;
    yield type === RUN ? 1 : block >> 3;
  } while ((block & 1) === 0);
  const hasChecksum = (descriptor & 4) !== 0;
  if (hasChecksum) yield 4;
}
