import { afterAll, afterEach, beforeEach } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Cleanup = () => void | Promise<void>;
const ofFile = new Set<Cleanup>();
const ofTest = new Set<Cleanup>();
let cleanups = ofFile;
beforeEach(() => {
  cleanups = ofTest;
});
afterEach(async () => {
  await runAll(ofTest);
  cleanups = ofFile;
});
afterAll(() => runAll(ofFile));

async function runAll(list: Set<Cleanup>): Promise<void> {
  const latestFirst = [...list].reverse();
  list.clear();
  for (const cleanup of latestFirst) await cleanup();
}

/** Runs a function when the test ends; called in `beforeAll`, when the file ends. Returns a function that cancels this. */
export function cleanUp(cleanup: Cleanup): () => void {
  const registered = cleanups;
  registered.add(cleanup);
  return () => void registered.delete(cleanup);
}

/** Creates a folder that is removed when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  cleanUp(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Returns the URL of a SQLite database that does not exist yet; neither does its folder. */
export function temporaryDatabase(): string {
  return `sqlite:${join(temporaryFolder(), 'new', 'plants.db')}`;
}
