import { setImmediate } from 'node:timers/promises';
import { type AnyFormats, type Contract, createFormatConverter, createProgressLine } from '@contract-first/contract';
import type { Logger } from 'pino';
import { createSilentLog } from '../process/log.ts';
import { readBatches, type Batch } from './batches.ts';
import { createEntryReader } from './entries.ts';
import { assertFormats } from '../complete-application.ts';
import { openInput } from './input.ts';
import { formatProgress } from './progress.ts';
import { storeBatch, type LineStore } from './store-batch.ts';

export type { LineStore };

/** An import of lines that are validated like the request bodies of an operation. */
type LineImport = {
  readonly contract: Contract;
  /** The codecs of the formats that the application declares. */
  readonly formats?: AnyFormats;
  readonly operationId: string;
  /** The file, or `-` for standard input. */
  readonly path: string;
  /** The size of a line, at most. */
  readonly limitBytes: number;
  /** Opens the store when the input could be opened. The log is silent, since the store reports the same errors to its caller. */
  readonly openStore: (log: Logger) => Promise<LineStore>;
};

// One Ctrl-C arrives twice: from the terminal and from npm.
const DUPLICATE_INTERRUPT_MS = 500;

/**
 * Stores each line of an input. Importing the same input again stores only the missing lines. Lists the other lines, and
 * the counts at the end, on standard error.
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
      // Lets the store start this batch before the next one is read.
      await setImmediate();
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall !== undefined) stopped = `the input cannot be read (${String(code)})`;
    else if (!isStopped()) throw error; // Otherwise the error comes from closing the input.
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
