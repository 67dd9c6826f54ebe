import { createHash } from 'node:crypto';

/** A line of the input. */
export type Line = {
  /** The line number, starting at 1. */
  readonly number: number;
  /** The content without the line feed; `undefined` when it is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** A UUID that identifies this line at this place of this input. */
  readonly key: string;
  /** The offset of the line's end in the input. */
  readonly endBytes: number;
};

const LINE_FEED = 0x0a;
// Bounds memory: a chunk of very short lines takes many times its size as line objects.
const MAX_LINES = 1_000;

/**
 * Splits an input into lines, holding at most one chunk and one line within the limit in memory.
 *
 * A line's key is derived from the SHA-256 of the input up to its end. This makes an import idempotent without any
 * state: when the same input comes again, whole or longer, the same line has the same key. The key depends on the
 * line's place, so the same line twice in an input is two creations. It depends on everything before the line, so two
 * inputs share keys only for their common prefix. A changed line therefore changes the keys of all lines after it:
 * those are stored twice, which is better than losing one.
 *
 * @returns the non-empty lines, in groups; the last line may lack its line feed
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<readonly Line[]> {
  const hash = createHash('sha256');
  let number = 0;
  let readBytes = 0;
  let pieces: Buffer[] = [];
  let lineBytes = 0;

  for await (const chunk of chunks) {
    let lines: Line[] = [];
    let start = 0;
    let hashed = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      hash.update(chunk.subarray(hashed, end));
      hashed = end; // A line feed is hashed with the next line, because the last line may lack it.
      hold(chunk.subarray(start, end));
      start = end + 1;
      if (lineBytes === 0) number += 1;
      else lines.push(endLine(readBytes + start));
      if (lines.length < MAX_LINES) continue;
      yield lines;
      lines = [];
    }
    hash.update(chunk.subarray(hashed));
    hold(chunk.subarray(start));
    readBytes += chunk.length;
    yield lines;
  }
  if (lineBytes > 0) yield [endLine(readBytes)];

  function hold(piece: Buffer): void {
    lineBytes += piece.length;
    if (lineBytes > limitBytes) pieces = [];
    else if (piece.length > 0) pieces.push(piece);
  }

  function endLine(endBytes: number): Line {
    number += 1;
    const bytes = lineBytes > limitBytes ? undefined : joined(pieces);
    pieces = [];
    lineBytes = 0;
    return { number, bytes, key: uuidOf(number, hash.copy().digest('hex')), endBytes };
  }
}

/** Joins the pieces of a line. A line that lies within one chunk, as most do, is not copied. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces);
}

/**
 * Returns a UUID of version 8 (RFC 9562, 5.8): 48 bits of the line number, then bits of the hash. The number comes
 * first to keep the keys ordered: with random keys, each row would touch a different page of the database's index.
 */
function uuidOf(number: number, hex: string): string {
  const place = number.toString(16).padStart(12, '0');
  const variant = ((parseInt(hex.charAt(3), 16) & 0b0011) | 0b1000).toString(16);
  return `${place.slice(0, 8)}-${place.slice(8)}-8${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
}
