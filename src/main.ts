import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';

// What Node makes of the sources is kept beside the packages: from the second start on, it takes two thirds of the time.
// Where that folder cannot be written, everything goes on without.
const { directory } = enableCompileCache(fileURLToPath(new URL('../node_modules/.cache/node', import.meta.url)));
// For the threads and processes that this one starts.
if (directory !== undefined) process.env['NODE_COMPILE_CACHE'] = directory;
await import('./process.ts');
flushCompileCache(); // By itself, Node would do so at the end, which may be a kill -9.
