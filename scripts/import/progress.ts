import type { WriteStream } from 'node:tty';

/** A progress line at the bottom of a terminal. */
export type Progress = {
  /** Redraws the line, at most every `REDRAW_MS`. */
  readonly update: (lines: number, bytes: number) => void;
  /** Erases the line, to make room for other output. */
  readonly clear: () => void;
};

const REDRAW_MS = 100;
const BAR_COLUMNS = 30;

/**
 * Creates a progress line on a terminal.
 *
 * @param totalBytes the size of the input, `undefined` when it is unknown
 */
export function createProgress(terminal: WriteStream, totalBytes: number | undefined): Progress {
  const startedAt = performance.now();
  let drawnAt = startedAt;
  let isDrawn = false;
  return {
    update(lines, bytes) {
      const now = performance.now();
      if (now - drawnAt < REDRAW_MS) return;
      drawnAt = now;
      isDrawn = true;
      const text = describe(lines, bytes, totalBytes, (now - startedAt) / 1000);
      // Some terminals wrap after the last column.
      terminal.write(`\r${text.slice(0, terminal.columns - 1)}\x1b[K`);
    },
    clear() {
      if (isDrawn) terminal.write('\r\x1b[K');
      isDrawn = false;
    },
  };
}

function describe(lines: number, bytes: number, totalBytes: number | undefined, seconds: number): string {
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
