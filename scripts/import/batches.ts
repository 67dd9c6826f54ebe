import { createEntryReader, type Entry } from './entries.ts';
import { readLines } from './lines.ts';

/** Lines that are stored together, in their order. */
export type Batch = {
  /** Of the lines that are not blank. */
  readonly entries: readonly Entry[];
  /** How much of the input comes before its end. */
  readonly endBytes: number;
};

// So that a batch is one transaction: the store commits as many together, and up to four times the bytes, for it counts
// what a plant needs in memory. Of what does not fit into one, the order would not be sure.
const MAX_LINES = 1_000;
const MAX_BYTES = 1_048_576;

/** Reads an input in batches. What has come is a batch, however little: lines do not wait for others to be written. */
export async function* readBatches(chunks: AsyncIterable<Buffer>, limitBytes: number): AsyncGenerator<Batch> {
  const readEntry = createEntryReader(limitBytes);
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
