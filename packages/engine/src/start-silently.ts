import type { Logger } from 'pino';
import type { Application } from './application.ts';
import { startService } from './create-service.ts';
import { readConfig } from './process/config.ts';
import { createSilentLog } from './process/log.ts';

/**
 * Starts an application in this process, on a free port of the loopback interface, by default without a log.
 *
 * @param variables the complete environment of the application
 * @throws an error with the problems of the variables, one line each, or with the reason why the start failed
 */
export async function startSilently(
  application: Application,
  variables: Readonly<Record<string, string>>,
  log: Logger = createSilentLog(),
): ReturnType<typeof startService> {
  const read = await readConfig({ PORT: '0', ...variables }, application.database, application.settings);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  return startService([{ application, config: read.config }], read.config, log);
}
