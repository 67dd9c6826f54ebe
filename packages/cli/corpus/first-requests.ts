import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Application } from '@contract-first/engine';
import type * as Tools from '@contract-first/engine/tools';

// Starts the service in the working directory, with its own engine: first in production, which compiles all validators
// at the start, then in development, where it sends the first request to each operation. Prints the number of
// operations, the start time in production, and the maximum CPU time for which a first request blocked the event loop;
// unlike elapsed time, it does not depend on the load of the machine. Fails if a response is not a failure of the
// engine.
const engine = createRequire(resolve('package.json')).resolve('@contract-first/engine/tools');
const { createSilentLog, readConfig, startService } = (await import(pathToFileURL(engine).href)) as typeof Tools;
const { application } = (await import(pathToFileURL(resolve('src/service.ts')).href)) as {
  readonly application: Application; // Exported by the template.
};
const startedAt = performance.now();
const production = await start({ NODE_ENV: 'production' });
const startMs = performance.now() - startedAt;
await production.stop(0);
const service = await start({});

let firstRequestMs = 0;
let lastMs = threadMs();
setInterval(() => {
  const nowMs = threadMs();
  firstRequestMs = Math.max(firstRequestMs, nowMs - lastMs);
  lastMs = nowMs;
}, 1);
const operations = Object.values(application.contract.operations);
for (const { method, path: template, basePaths = application.contract.basePaths } of operations) {
  const target = `${basePaths[0] ?? ''}${template.replaceAll(/\{[^{}]*\}/g, '1')}`;
  const headers = { authorization: 'Bearer corpus-token' };
  const sent = request(service.url + target, { method, headers }).end(); // fetch does not support TRACE.
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await response.resume().toArray();
  const { statusCode = 0 } = response;
  if (statusCode < 400) throw new Error(`${method} ${target} responded ${String(statusCode)} without a handler`);
}
console.log(JSON.stringify({ operations: operations.length, startMs, firstRequestMs }));
process.exit(0);

/** Returns the CPU time of this thread. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function start(mode: { readonly NODE_ENV?: string }) {
  const env = { ...mode, API_TOKENS: 'corpus-token', PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'error' };
  const read = await readConfig(env, application.database);
  if ('problems' in read) throw new Error(read.problems.join(', '));
  return startService([{ application, config: read.config }], read.config, createSilentLog());
}
