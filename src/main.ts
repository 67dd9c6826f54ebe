import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// Until process.ts has loaded and listens itself, a signal ends the start.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(0);
  });
}

// What Node makes of the sources is kept beside the packages, unless the environment has another place: from the second
// start on, it takes two thirds of the time. Where that folder cannot be written, everything goes on without. It is in the
// environment for the threads and processes that this one starts.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url));
enableCompileCache();
await import('./engine/process/run.ts');
flushCompileCache(); // By itself, Node would do so at the end, which may be a kill -9.
