import type { Entry } from './entries.ts';
import { readLines, type Line } from './lines.ts';

/** Lines that are stored together, in input order. */
export type Batch = {
  /** The entries of the non-blank lines. */
  readonly entries: readonly Entry[];
  /** The offset of the batch's end in the input. */
  readonly endBytes: number;
};

// A batch should fit into one transaction, which keeps its order. The database commits up to as many rows together, and up
// to four times the bytes, because it counts the size of a row in memory.
const MAX_LINES = 1_000;
const MAX_BYTES = 1_048_576;

/** Reads an input in batches. Each chunk ends a batch, so a line never waits for more input before it is stored. */
export async function* readBatches(
  chunks: AsyncIterable<Buffer>,
  readEntry: (line: Line) => Entry | undefined,
  limitBytes: number,
): AsyncGenerator<Batch> {
  for await (const lines of readLines(chunks, limitBytes)) {
    let entries: Entry[] = [];
    let bytes = 0;
    let endBytes = 0;
    for (const line of lines) {
      const entry = readEntry(line);
      const lineBytes = line.bytes?.length ?? 0;
      if (entries.length === MAX_LINES || bytes + lineBytes > MAX_BYTES) {
        yield { entries, endBytes };
        entries = [];
        bytes = 0;
      }
      if (entry !== undefined) entries.push(entry);
      bytes += lineBytes;
      endBytes = line.endBytes;
    }
    yield { entries, endBytes };
  }
}
