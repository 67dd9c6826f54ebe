import { extname, resolve, sep } from 'node:path';
import { generate } from './contract/generate.ts';
import { folderOf, foldersBelow, watchFolders } from './dev/folders.ts';
import { createService } from './dev/service.ts';

// `npm run dev` serves the document as it is being written: a change of it is generated and served, a change of src/ is
// served. The generator stays loaded, which is most of its time; a document that it refuses changes nothing.
const SETTLE_MS = 30; // One save is several changes: truncate, write, rename.
const SOURCE = resolve('src');

const service = createService();
const watched = watchFolders(notice);
const changed = new Set<'contract' | 'code'>(['contract', 'code']);
let sources: readonly string[] = [resolve('openapi.yaml')];
let served: string | undefined;
let settling: NodeJS.Timeout | undefined;
let stopping = false;
let work = update();
process.once('SIGINT', stop).once('SIGTERM', stop);

function notice(path: string): void {
  if (sources.some((source) => source === path || source.startsWith(path + sep))) changed.add('contract');
  // What has no extension may be a folder, with files in it.
  else if ((path + sep).startsWith(SOURCE + sep) && ['.ts', ''].includes(extname(path))) changed.add('code');
  else return;
  clearTimeout(settling);
  settling = setTimeout(() => {
    work = work.then(update);
  }, SETTLE_MS);
}

async function update(): Promise<void> {
  try {
    watch(); // Before anything is read: what changes after that is noticed.
    const newCode = changed.delete('code');
    const newContract = changed.delete('contract') && (await regenerate());
    if ((newCode || newContract) && !stopping) await service.restart();
  } catch (error) {
    console.error(error);
  }
}

/** @returns whether there is something new to serve */
async function regenerate(): Promise<boolean> {
  const generated = await generate();
  sources = generated.sources;
  if (!stopping) watch();
  // What was served counts, not what was on disk: `npm run generate` may have written it first.
  const text = JSON.stringify(generated.files);
  if (generated.files === undefined) console.error('the last good one is served until the next change');
  if (generated.files === undefined || text === served) return false;
  served = text;
  return true;
}

function watch(): void {
  watched.set([...foldersBelow(SOURCE), ...sources.map(folderOf)]);
}

function stop(): void {
  stopping = true;
  clearTimeout(settling);
  void work.then(async () => {
    watched.close();
    await service.stop();
  });
}
