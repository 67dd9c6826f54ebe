import { existsSync, realpathSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { printError } from '@contract-first/command-line/terminal';

/** A file that follows a text. */
export type DataFile = {
  /** Notes that the text has changed, so that it is written soon. */
  readonly noteChange: () => void;
  /** Writes the last change. */
  readonly close: () => Promise<void>;
};

const DELAY_MS = 200;
const RETRY_MS = 1_000;
/** Creating the text, which holds up the requests, takes at most a tenth of the time. */
const PAUSE_FACTOR = 10;

/**
 * Keeps a text in a file. The file is replaced as a whole, so that it is complete whenever the process ends. A failure is
 * reported once, and the text is written again until that succeeds.
 */
export function openDataFile(path: string, textOf: () => string): DataFile {
  const target = existsSync(path) ? realpathSync(path) : path; // A symbolic link stays one.
  const temporary = `${target}.tmp`;
  let isStale = false;
  let delayMs = DELAY_MS;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let failure: string | undefined;
  return { noteChange, close };

  function noteChange(): void {
    isStale = true;
    if (timer === undefined && writing === undefined)
      timer = setTimeout(start, failure === undefined ? delayMs : RETRY_MS);
  }

  function start(): void {
    timer = undefined;
    writing = write().then(() => {
      writing = undefined;
      if (isStale) noteChange();
    });
  }

  async function write(): Promise<void> {
    const startedAt = performance.now();
    isStale = false;
    try {
      const text = textOf();
      delayMs = Math.max(DELAY_MS, (performance.now() - startedAt) * PAUSE_FACTOR);
      await writeFile(temporary, text, { flush: true });
      await rename(temporary, target);
      if (failure !== undefined) printError(`${path} is written again`);
      failure = undefined;
    } catch (error) {
      isStale = true;
      const { message } = error as Error;
      if (failure !== message) printError(`${path} cannot be written; its changes are in memory only: ${message}`);
      failure = message;
      await rm(temporary, { force: true }).catch(() => undefined); // It may take up the space of a full disk.
    }
  }

  async function close(): Promise<void> {
    clearTimeout(timer);
    await writing;
    if (isStale) await write();
  }
}
