import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import pino from 'pino';
import { readConfig } from '../../src/engine/process/config.ts';
import { startService } from '../../src/engine/create-service.ts';
import { application } from '../../src/service.ts';

// Starts the service in production, where all validators are compiled first, and then in development, where it sends each
// operation its first request. Prints the number of operations, how long the first start took, and how long the event loop
// was held at most afterwards. Fails when a response is not a failure of the engine.
const startedAt = performance.now();
const production = await start({ NODE_ENV: 'production' });
const startMs = performance.now() - startedAt;
await production.stop(0);
const service = await start({});

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
const operations = Object.values(application.contract.operations);
for (const { method, path: template, basePaths = application.contract.basePaths } of operations) {
  const target = `${basePaths[0] ?? ''}${template.replaceAll(/\{[^{}]*\}/g, '1')}`;
  const headers = { authorization: 'Bearer corpus-token' };
  const sent = request(service.url + target, { method, headers }).end(); // fetch has no TRACE.
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  await response.resume().toArray();
  const { statusCode = 0 } = response;
  if (statusCode < 400) throw new Error(`${method} ${target} responded ${String(statusCode)} without a handler`);
}
console.log(JSON.stringify({ operations: operations.length, startMs, firstRequestMs: delay.max / 1e6 }));
process.exit(0);

async function start(mode: { readonly NODE_ENV?: string }) {
  const env = { ...mode, API_TOKENS: 'corpus-token', PORT: '0', OPS_PORT: '0', LOG_LEVEL: 'error' };
  const read = await readConfig(env, application.defaultDatabaseUrl);
  if ('problems' in read) throw new Error(read.problems.join(', '));
  return startService(application, read.config, pino({ level: 'silent' }));
}
