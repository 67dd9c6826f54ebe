import { once } from 'node:events';
import { stringifyJson } from '@contract-first/engine';
import { openPlantReader } from '../src/plants/open-plant-store.ts';
import { runWithConfiguration } from './command.ts';
import { exitWithoutOutput, refuse } from './output.ts';

// `npm run --silent export` writes the current plants to standard output as NDJSON, with exact ids; with
// `--history`, every creation in order. It can run beside the service and holds a few rows at a time.
const CHUNK_CHARS = 65_536;

const [option, ...rest] = process.argv.slice(2);
if (rest.length > 0 || (option !== undefined && option !== '--history')) refuse('the only option is --history');
exitWithoutOutput();

await runWithConfiguration(async ({ location }) => {
  const reader = await openPlantReader(location);
  let chunk = '';
  for await (const plant of reader.list(option === undefined ? 'latest' : 'history')) {
    chunk += `${stringifyJson(plant)}\n`;
    if (chunk.length < CHUNK_CHARS) continue;
    await print(chunk);
    chunk = '';
  }
  await print(chunk);
  await reader.close();
});

/** Writes text to standard output, and waits for a slow reader. */
async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}
