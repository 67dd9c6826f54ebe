import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// While the modules load, a signal ends the start. Afterwards, run() handles signals itself.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (process.listenerCount(signal) === 1) process.exit(0);
  });
}

// Node's compile cache cuts the start to a third. The threads of this process read the variable. Where the folder cannot
// be written, Node starts without the cache.
process.env['NODE_COMPILE_CACHE'] ??= fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url));
enableCompileCache();
const { run } = await import('@contract-first/engine');
const { application } = await import('./service.ts');
await run(application);
flushCompileCache(); // At the exit, Node would write it too, but not after a kill -9.
