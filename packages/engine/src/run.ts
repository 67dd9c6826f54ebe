/**
 * The interface for main.ts and for commands. It loads only modules of Node before those of the application.
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
 * Runs an application as this process, or several, each with a document below a path of its own. Configuration mistakes and other operator errors end the process with one line each.
 *
 * @param load imports the application: `() => import('./service.ts')`. `.env` has been read by then
 * @param others import further ones, which share the port and all limits
 */
export async function run(load: Load, ...others: readonly Load[]): Promise<void> {
  // While the modules load, a signal ends the start. Afterwards, runApplications() handles signals.
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
  flushCompileCache(); // At the exit, Node would write it too, but not after a kill -9.
}

/**
 * Runs a command on an application: reads the configuration, opens the application, does the work and closes it. The log is
 * on standard error. Configuration mistakes and other operator errors end the process with one line each.
 *
 * @param load imports the application, as that of `run`
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
 * Enables Node's compile cache in the `node_modules` of the application, which cuts the start to a third. Where the folder
 * cannot be written, Node goes on without the cache.
 */
function cacheCode(): void {
  const manifest = findPackageJSON(pathToFileURL(process.argv[1] ?? ''));
  // The threads of this process read the variable.
  if (manifest !== undefined) process.env['NODE_COMPILE_CACHE'] ??= join(manifest, '../node_modules/.cache/node');
  enableCompileCache();
}
