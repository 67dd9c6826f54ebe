import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Cleanup = () => void | Promise<void>;
const ofFile = new Set<Cleanup>();
const ofTest = new Set<Cleanup>();
let cleanups = ofFile;

/** Runs a function when the test ends; called in `beforeAll`, when the file ends. Returns a function that cancels this. */
export function cleanUp(cleanup: Cleanup): () => void {
  const registered = cleanups;
  registered.add(cleanup);
  return () => void registered.delete(cleanup);
}

/** Runs a function when the file ends, also when it is called in a test. */
export function cleanUpAfterFile(cleanup: Cleanup): void {
  ofFile.add(cleanup);
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

/** Begins a test: from now on, functions are registered for its end. */
export function beginTest(): void {
  cleanups = ofTest;
}

/** Runs the functions registered in a test, the latest first. */
export async function endTest(): Promise<void> {
  try {
    await runAll(ofTest);
  } finally {
    cleanups = ofFile;
  }
}

/** Runs the functions registered for a file, the latest first. */
export function endFile(): Promise<void> {
  return runAll(ofFile);
}

async function runAll(list: Set<Cleanup>): Promise<void> {
  const latestFirst = [...list].reverse();
  list.clear();
  for (const cleanup of latestFirst) await cleanup();
}
