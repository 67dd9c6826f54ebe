/**
 * The interface for main.ts and for commands. Loads only Node's modules before the application's modules.
 *
 * @module @contract-first/engine/run
 */

import { enableCompileCache, findPackageJSON, flushCompileCache } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Application } from './application.ts';
import type { Commanded, Work } from './process/command.ts';
import { readEnvFile } from './process/env-file.ts';

/** Imports the module of an application. */
type Load = () => Promise<{ readonly application: Application }>;

/**
 * Runs one or several applications as this process. Several applications must have documents with distinct base paths.
 * Invalid configuration and other operator errors end the process with one line each.
 *
 * @param load imports the application: `() => import('./service.ts')`. Called after `.env` was read
 * @param others import further applications, which share the port and all limits
 */
export async function run(load: Load, ...others: readonly Load[]): Promise<void> {
  // A signal ends the process while modules load. Later, runApplications() handles signals.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (process.listenerCount(signal) === 1) process.exit(0);
    });
  }
  readEnvFile();
  cacheCode();
  const { runApplications } = await import('./process/run.ts');
  const first = await load();
  const more = await Promise.all(others.map((loadOther) => loadOther()));
  await runApplications([first.application, ...more.map(({ application }) => application)]);
  flushCompileCache(); // Node writes the cache at exit, but not after a kill -9.
}

/**
 * Runs a command on an application: reads the configuration, opens the application, does the work and closes the
 * application. Logs to standard error. Invalid configuration and other operator errors end the process with one line
 * each.
 *
 * @param load imports the application: `() => import('./service.ts')`
 */
export async function runCommand<Of extends Commanded>(
  load: () => Promise<{ readonly application: Of }>,
  work: Work<Of>,
): Promise<void> {
  readEnvFile();
  cacheCode();
  const { runWork } = await import('./process/command.ts');
  const { application } = await load();
  await runWork(application, work);
}

/**
 * Enables Node's compile cache in the application's `node_modules`, which reduces the startup time to a third. Node
 * runs without the cache if the folder is not writable.
 */
function cacheCode(): void {
  const manifest = findPackageJSON(pathToFileURL(process.argv[1] ?? ''));
  // Worker threads read the variable.
  if (manifest !== undefined) process.env['NODE_COMPILE_CACHE'] ??= join(manifest, '../node_modules/.cache/node');
  enableCompileCache();
}
