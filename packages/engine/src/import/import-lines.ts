import { once } from 'node:events';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { type AnyFormats, type Contract, createFormatConverter, createProgressLine } from '@contract-first/contract';
import type { Logger } from 'pino';
import { assertFormats } from '../complete-application.ts';
import { createSilentLog } from '../process/log.ts';
import { createEntryReader, type LineEntry } from './parse-entry.ts';
import { type Line, readLines } from './read-lines.ts';
import { type LineStore, storeBatch } from './store-batch.ts';

export type { LineStore };

/** An import of lines that are validated like the request bodies of an operation. */
type LineImport = {
  readonly contract: Contract;
  /** The codecs of the formats that the application declares. */
  readonly formats?: AnyFormats;
  readonly operationId: string;
  /** The file, or `-` for standard input. */
  readonly path: string;
  /** The maximum size of a line. */
  readonly limitBytes: number;
  /**
   * Opens the store after the input was opened. Receives a silent log, since the store also throws the errors it logs.
   */
  readonly openStore: (log: Logger) => Promise<LineStore>;
};

// One Ctrl-C arrives twice: from the terminal and from npm.
const DUPLICATE_INTERRUPT_MS = 500;

/**
 * Stores each line of an input. Importing the same input again stores only the missing lines. Prints the rejected lines
 * and the final counts to standard error.
 *
 * @returns the exit code: 0 when every line is stored, 1 when some are not, 130 after an interrupt
 */
export async function importLines({
  contract,
  formats,
  operationId,
  path,
  limitBytes,
  openStore,
}: LineImport): Promise<number> {
  assertFormats(contract, formats);
  const input = await openInput(path);
  if ('problem' in input) {
    console.error(input.problem);
    return 1;
  }
  const { stream, totalBytes } = input;
  const store = await openStore(createSilentLog());
  const progress = createProgressLine(process.stderr);
  const startedAt = performance.now();

  const counts = { stored: 0, 'already there': 0, rejected: 0 };
  let lastLine = 0;
  let isInterrupted = false;
  let stopped: string | undefined;
  process.on('SIGINT', interrupt);

  let pendingImport = Promise.resolve();
  const readEntry = createEntryReader(contract, operationId, limitBytes, createFormatConverter(contract, formats));
  try {
    for await (const batch of readBatches(stream, readEntry, limitBytes)) {
      await pendingImport;
      if (isStopped()) break;
      pendingImport = importBatch(batch);
      // Lets the store start this batch before the next batch is read.
      await setImmediate();
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) stopped = `the input cannot be read (${String(code)})`;
    else if (!isStopped()) throw error; // After a stop, the error comes from closing the input.
  }
  await pendingImport;
  await store.close();
  process.off('SIGINT', interrupt);
  return conclude();

  async function importBatch({ entries, endBytes }: Batch): Promise<void> {
    const outcomes = await storeBatch(store, entries, () => !isInterrupted);
    outcomes.forEach((outcome, index) => {
      const { line } = entries[index] ?? { line: 0 };
      if (outcome.is === 'unavailable') {
        stopped ??= outcome.reason;
        stream.destroy();
        return;
      }
      counts[outcome.is] += 1;
      if (outcome.is === 'rejected') say(`line ${String(line)}: ${outcome.reason}`);
      if (stopped === undefined) lastLine = line;
    });
    progress?.update(() => formatProgress(lastLine, endBytes, totalBytes, (performance.now() - startedAt) / 1_000));
  }

  function interrupt(): void {
    if (isInterrupted) return;
    isInterrupted = true;
    stream.destroy();
    // Restores the default action: the next interrupt ends the process.
    setTimeout(() => process.off('SIGINT', interrupt), DUPLICATE_INTERRUPT_MS).unref();
  }

  function isStopped(): boolean {
    return isInterrupted || stopped !== undefined;
  }

  function conclude(): number {
    const reason = stopped ?? (isInterrupted ? 'interrupted' : undefined);
    if (reason !== undefined) {
      say(`stopped at line ${String(lastLine + 1)}: ${reason}; run it again with the same input to continue`);
    }
    const read = counts.stored + counts['already there'] + counts.rejected;
    const parts = Object.entries({ read, ...counts }).map(
      ([name, count]) => `${count.toLocaleString('en-US')} ${name}`,
    );
    say(`lines: ${parts.join(', ')}`);
    if (counts.rejected > 0) {
      say('fix the rejected lines in a separate file: lines after a changed line would be stored again');
    }
    return isInterrupted ? 130 : Number(stopped !== undefined || counts.rejected > 0);
  }

  function say(message: string): void {
    progress?.clear();
    console.error(message);
  }
}

// A chunk holds several batches, so most batches are full.
const CHUNK_BYTES = 262_144;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/**
 * Opens an input for reading.
 *
 * @param path `-` for standard input
 * @returns the input and its size, which is `undefined` when unknown; or the reason why the input cannot be read, in
 *   one line
 */
async function openInput(
  path: string,
): Promise<{ readonly stream: Readable; readonly totalBytes: number | undefined } | { readonly problem: string }> {
  if (path === '-') return { stream: process.stdin, totalBytes: undefined };
  try {
    const file = await open(path);
    const { size } = await file.stat();
    const stream = file.createReadStream({ highWaterMark: CHUNK_BYTES });
    // A directory can be opened; only reading it fails.
    await once(stream, 'readable');
    return { stream, totalBytes: size === 0 ? undefined : size };
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return { problem: `cannot read ${path}: ${REASONS[code] ?? code}` };
  }
}

const BAR_COLUMNS = 30;

/**
 * Formats the progress of an import.
 *
 * @param totalBytes the size of the input, `undefined` when unknown
 */
function formatProgress(lines: number, bytes: number, totalBytes: number | undefined, seconds: number): string {
  const counts = `${count(lines)} lines  ${count(lines / seconds)}/s`;
  if (totalBytes === undefined) return counts;
  const done = Math.min(bytes / totalBytes, 1); // The file may have grown.
  const bar = '#'.repeat(Math.floor(done * BAR_COLUMNS)).padEnd(BAR_COLUMNS, '.');
  const percent = String(Math.floor(done * 100)).padStart(3);
  const left = bytes === 0 ? '' : `  ${clock((seconds / done) * (1 - done))} left`;
  return `${percent} %  ${counts}${left}  ${bar}`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

/** Formats seconds as h:mm:ss, or m:ss. */
function clock(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value) % 60).padStart(2, '0');
  const minutes = seconds / 60;
  return minutes < 60
    ? `${String(Math.floor(minutes))}:${two(seconds)}`
    : `${String(Math.floor(minutes / 60))}:${two(minutes)}:${two(seconds)}`;
}

/** Lines that are stored together, in input order. */
type Batch = {
  /** The entries of the non-blank lines. */
  readonly entries: readonly LineEntry[];
  /** The offset of the batch's end in the input. */
  readonly endBytes: number;
};

// A batch should fit into one transaction, so that the lines are stored in order. The database has the same limit of
// rows per commit, and four times the limit of bytes, since it counts the size of a row in memory.
const MAX_LINES = 1_000;
const MAX_BYTES = 1_048_576;

/** Reads an input in batches. Each chunk ends a batch, so a line never waits for more input before it is stored. */
async function* readBatches(
  chunks: AsyncIterable<Buffer>,
  readEntry: (line: Line) => LineEntry | undefined,
  limitBytes: number,
): AsyncGenerator<Batch> {
  for await (const lines of readLines(chunks, limitBytes)) {
    let entries: LineEntry[] = [];
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
