import { Registry } from 'prom-client';
import type { Application, DatabaseDriver, OpenOptions } from '../application.ts';
import type { Settings } from '../settings.ts';
import { readCommandConfig } from './config.ts';
import { createLog } from './log.ts';
import { exitWithProblems } from './refuse.ts';

/** An application for a command: its database, its settings and a function that opens it. */
export type Commanded = Pick<Application, 'database' | 'settings'> & {
  open(options: OpenOptions): Promise<{ readonly close: () => Promise<void> }>;
};

/** The work of a command on an open application. Receives the same options as `open`. */
export type Work<Of extends Commanded> = (
  opened: Awaited<ReturnType<Of['open']>>,
  options: OpenOptions<LocationOf<Of['database']>, DeclaredBy<Of['settings']>> & { readonly bodyLimitBytes: number },
) => Promise<void>;

type LocationOf<Driver> = Driver extends DatabaseDriver<infer Location> ? Location : unknown;
type DeclaredBy<Declared> = Declared extends Settings ? Declared : Settings;

/** Opens an application, runs a command on it and closes it. Operator errors end the process with one line each. */
export async function runWork<Of extends Commanded>(application: Of, work: Work<Of>): Promise<void> {
  const read = readCommandConfig(process.env, application.database, application.settings);
  if ('problems' in read) return exitWithProblems(read.problems);
  const { database, logLevel, ...rest } = read;
  // Standard output is reserved for the results of the command.
  const log = await createLog(logLevel, process.stderr.isTTY, 2);
  process.prependListener('exit', () => {
    log.flush();
  });
  const options = { ...database, ...rest, metrics: new Registry(), log };
  try {
    const opened = await application.open(options);
    try {
      // Both types follow from the type of the application.
      await work(opened as Parameters<Work<Of>>[0], options as Parameters<Work<Of>>[1]);
    } finally {
      await opened.close();
    }
  } catch (error) {
    if (application.database?.isUnavailable(error) === true) return exitWithProblems([error.message]);
    throw error;
  }
}
