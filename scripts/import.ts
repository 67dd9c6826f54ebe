import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { openPlantStore } from '../../src/plants/open-plant-store.ts';
import { refuse } from '../terminal/command.ts';
import { orRefuse, readConfiguration } from './command.ts';
import { readBatches, type Batch } from './import/batches.ts';
import { openInput } from './import/input.ts';
import { formatProgress } from './import/progress.ts';
import { storeBatch } from './import/store-batch.ts';
import { createProgressLine } from '../terminal/progress-line.ts';

// `npm run import -- plants.ndjson` stores the output of `npm run export`; without a file, it reads standard input.
// Each line is validated like a request body. Running it again with the same input stores only the missing lines.
// Exit 0: every line is stored; 1: some lines are not, listed on standard error; 130: interrupted.

// One Ctrl-C arrives twice: from the terminal and from npm.
const DUPLICATE_INTERRUPT_MS = 500;

const [path = '-', ...rest] = process.argv.slice(2);
if (rest.length > 0 || /^-./.test(path)) refuse('name one file to import, or none for standard input');
const { database, bodyLimitBytes } = readConfiguration();

const input = await openInput(path);
if ('problem' in input) refuse(input.problem);
const { stream, totalBytes } = input;
const log = pino({ level: 'silent' }); // The store reports the same errors to its caller.
const store = await orRefuse(() => openPlantStore(database.location, { ...database, log }));
const progress = createProgressLine(process.stderr);
const startedAt = performance.now();

const counts = { stored: 0, 'already there': 0, rejected: 0 };
let lastLine = 0;
let isInterrupted = false;
let stopped: string | undefined;
process.on('SIGINT', interrupt);

let pendingImport = Promise.resolve();
try {
  for await (const batch of readBatches(stream, bodyLimitBytes)) {
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
conclude();

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

function conclude(): void {
  const reason = stopped ?? (isInterrupted ? 'interrupted' : undefined);
  if (reason !== undefined) {
    say(`stopped at line ${String(lastLine + 1)}: ${reason}; run it again with the same input to continue`);
  }
  const read = counts.stored + counts['already there'] + counts.rejected;
  const parts = Object.entries({ read, ...counts }).map(([name, count]) => `${count.toLocaleString('en-US')} ${name}`);
  say(`lines: ${parts.join(', ')}`);
  if (counts.rejected > 0) {
    say('fix the rejected lines in a separate file: lines after a changed line would be stored again');
  }
  process.exitCode = isInterrupted ? 130 : Number(stopped !== undefined || counts.rejected > 0);
}

function say(message: string): void {
  progress?.clear();
  console.error(message);
}
