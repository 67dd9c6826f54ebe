import type { Logger } from 'pino';

/** How a database works for its users. */
export type DatabaseOptions = {
  /** Connections to a database server at the same time. */
  readonly poolSize: number;
  /** How long a write may take. */
  readonly timeoutMs: number;
  /** How much may wait to be written. */
  readonly queueLimitBytes: number;
  /** Receives each commit: its number of rows and its duration. */
  readonly onCommit?: (rows: number, durationMs: number) => void;
  readonly log: Logger;
};

/** The database cannot be used, for now or at all; the message gives the reason in one line, for operators. */
export class DatabaseUnavailable extends Error {}
