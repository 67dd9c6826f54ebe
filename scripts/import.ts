import { setImmediate } from 'node:timers/promises';
import pino from 'pino';
import { openStore } from '../src/engine/database/open-database.ts';
import { orRefuse, readConfiguration, refuse } from './command.ts';
import { readBatches, type Batch } from './import/batches.ts';
import { openInput } from './import/input.ts';
import { createProgress } from './import/progress.ts';
import { storeBatch } from './import/store-batch.ts';

// `npm run import -- plants.ndjson` stores what `npm run export` wrote; without a file, what comes on standard input.
// Each line is checked like the body of a request. Run again with the same input, it stores what is not there yet.
// Exit 0: every line is stored; 1: some are not, and standard error says which; 130: interrupted.

// npm passes on to us a Ctrl-C that the terminal has sent to us as well.
const SAME_INTERRUPT_MS = 500;

const [path = '-', ...rest] = process.argv.slice(2);
if (rest.length > 0 || /^-./.test(path)) refuse('name one file to import, or none for standard input');
const { database, bodyLimitBytes } = readConfiguration();

const input = await openInput(path);
if ('problem' in input) refuse(input.problem);
const { stream, totalBytes } = input;
const log = pino({ level: 'silent' }); // The store tells us the same.
const store = await orRefuse(() => openStore(database.location, { ...database, log }));
const progress = process.stderr.isTTY ? createProgress(process.stderr, totalBytes) : undefined;

const counts = { stored: 0, 'already there': 0, rejected: 0 };
let lastLine = 0;
let isInterrupted = false;
let stopped: string | undefined;
process.on('SIGINT', interrupt);

let underWay = Promise.resolve();
try {
  for await (const batch of readBatches(stream, bodyLimitBytes)) {
    await underWay;
    if (isStopped()) break;
    underWay = importBatch(batch);
    // Has the store begin, before the next batch is read meanwhile.
    await setImmediate();
  }
} catch (error) {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) stopped = `the input cannot be read (${String(code)})`;
  else if (!isStopped()) throw error; // Otherwise it says that we have closed the input.
}
await underWay;
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
  progress?.update(lastLine, endBytes);
}

function interrupt(): void {
  if (isInterrupted) return;
  isInterrupted = true;
  stream.destroy();
  // From then on, an interrupt does what it does by default: it ends the process.
  setTimeout(() => process.off('SIGINT', interrupt), SAME_INTERRUPT_MS).unref();
}

function isStopped(): boolean {
  return isInterrupted || stopped !== undefined;
}

function conclude(): void {
  const reason = stopped ?? (isInterrupted ? 'interrupted' : undefined);
  if (reason !== undefined) {
    say(`stopped at line ${String(lastLine + 1)}: ${reason}; run it again with the same input to go on`);
  }
  const read = counts.stored + counts['already there'] + counts.rejected;
  const parts = Object.entries({ read, ...counts }).map(([what, count]) => `${count.toLocaleString('en-US')} ${what}`);
  say(`lines: ${parts.join(', ')}`);
  if (counts.rejected > 0) {
    say('mend the rejected lines in a file of their own: lines after a changed one would be stored again');
  }
  process.exitCode = isInterrupted ? 130 : Number(stopped !== undefined || counts.rejected > 0);
}

function say(message: string): void {
  progress?.clear();
  console.error(message);
}
