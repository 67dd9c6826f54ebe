import { createHash } from 'node:crypto';

/** A line of the input. */
export type Line = {
  /** From 1. */
  readonly number: number;
  /** Without its end; `undefined` when it is longer than the limit. */
  readonly bytes: Buffer | undefined;
  /** A UUID that stands for this line at this place of this input. */
  readonly key: string;
  /** How much of the input comes before its end. */
  readonly endBytes: number;
};

const LINE_FEED = 0x0a;
// A chunk of nothing but short lines would be many times as large as lines.
const MAX_LINES = 1_000;

/**
 * Splits an input into its lines, holding no more of it than one chunk and one line within the limit.
 *
 * A line's key is taken from the SHA-256 of the input up to its end. So nothing has to be remembered for an import to
 * be harmless to repeat: the same line has the same key when the same input comes again, whole or longer. Its place is
 * in the key, so the same plant twice in an input is two creations; and so is everything before it, so two inputs share
 * keys only as far as they are the same from the start. A line that was changed makes all lines after it new ones: of the
 * two mistakes that are possible, to store a plant twice is the one that loses nothing.
 *
 * @returns the lines that have something in them, as they end, some at a time; the last one may come without an end
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
      hashed = end; // A line feed is hashed with the line after it: a last line may come without.
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

/** Nearly every line is whole in its chunk, and need not be copied. */
function joined(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces);
}

/**
 * A UUID of version 8 (RFC 9562, 5.8): 48 bits of the line's number, then those of the hash. The number comes first so
 * that keys come in their order: for keys at random, the store would change another page of its index for every plant.
 */
function uuidOf(number: number, hex: string): string {
  const place = number.toString(16).padStart(12, '0');
  const variant = ((parseInt(hex.charAt(3), 16) & 0b0011) | 0b1000).toString(16);
  return `${place.slice(0, 8)}-${place.slice(8)}-8${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`;
}
