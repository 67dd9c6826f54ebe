import type { DatabaseLocation } from '@contract-first/database';
import type { DatabaseConfig } from '@contract-first/engine';
import { runCommand } from '@contract-first/engine/run';
import { application } from '../src/service.ts';

/** The configuration of the plant store that its commands need. */
export type Configuration = DatabaseConfig<DatabaseLocation> & { readonly bodyLimitBytes: number };

/**
 * Runs a command on the store. Exits with one line for each problem in the configuration, or if the database is
 * unavailable.
 */
export function runWithConfiguration(work: (configuration: Configuration) => Promise<void>): Promise<void> {
  // Each command opens the reader, the store or the file itself.
  const open = async () => ({ close: async () => undefined });
  return runCommand(
    async () => ({ application: { ...application, open } }),
    (_opened, options) => work(options),
  );
}
