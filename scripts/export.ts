import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { stringifyJson } from '../src/contract/json.ts';
import { openReader } from '../src/store/open-store.ts';
import { readConfiguration, orRefuse } from './command.ts';

// `npm run --silent export` writes the current plants to standard output as NDJSON, ids with all their digits; with
// `--history`, every creation in its order. It may run beside the service, and holds a few rows at a time.
const CHUNK_CHARS = 65_536;

const { values } = parseArgs({ options: { history: { type: 'boolean', default: false } } });
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0); // The reader has seen enough: `… | head`.
});

const { location } = readConfiguration().store;
const reader = await orRefuse(() => openReader(location));
let chunk = '';
for await (const plant of reader.list(values.history ? 'history' : 'current')) {
  chunk += `${stringifyJson(plant)}\n`;
  if (chunk.length >= CHUNK_CHARS) await flush();
}
await flush();
await reader.close();

async function flush(): Promise<void> {
  const text = chunk;
  chunk = '';
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
