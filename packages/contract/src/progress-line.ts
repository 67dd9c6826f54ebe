import type { WriteStream } from 'node:tty';

/** A progress line at the bottom of a terminal. */
export type ProgressLine = {
  /** Redraws the line, at most every `REDRAW_MS`. */
  readonly update: (describe: () => string) => void;
  /** Erases the line before other output. */
  readonly clear: () => void;
};

const REDRAW_MS = 100;

/** Creates a progress line on a terminal; `undefined` when the stream is not a terminal. */
export function createProgressLine(terminal: WriteStream): ProgressLine | undefined {
  if (!terminal.isTTY) return undefined;
  let drawnAt = performance.now();
  let isDrawn = false;
  return {
    update(describe) {
      if (performance.now() - drawnAt < REDRAW_MS) return;
      drawnAt = performance.now();
      isDrawn = true;
      // Leaves the last column empty, since some terminals wrap after it.
      terminal.write(`\r${describe().slice(0, terminal.columns - 1)}\x1b[K`);
    },
    clear() {
      if (isDrawn) terminal.write('\r\x1b[K');
      isDrawn = false;
    },
  };
}
