import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Cleanup = () => void | Promise<void>;
const ofFile = new Set<Cleanup>();
const ofTest = new Set<Cleanup>();
let cleanups = ofFile;

/**
 * Runs a function when the test ends or, if called in `beforeAll`, when the file ends. Returns a function that cancels
 * it.
 */
export function cleanUp(cleanup: Cleanup): () => void {
  const registered = cleanups;
  registered.add(cleanup);
  return () => void registered.delete(cleanup);
}

/** Runs a function when the file ends, even if called in a test. */
export function cleanUpAfterFile(cleanup: Cleanup): void {
  ofFile.add(cleanup);
}

/** Creates a folder. Removes it when the test ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-'));
  cleanUp(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Returns the URL of a SQLite database. Neither the database nor its folder exists yet. */
export function temporaryDatabase(): string {
  return `sqlite:${join(temporaryFolder(), 'new', 'guests.db')}`;
}

/** Begins a test: following cleanup functions run at its end. */
export function beginTest(): void {
  cleanups = ofTest;
}

/** Runs the cleanup functions of a test in reverse order. */
export async function endTest(): Promise<void> {
  try {
    await runAll(ofTest);
  } finally {
    cleanups = ofFile;
  }
}

/** Runs the cleanup functions of a file in reverse order. */
export function endFile(): Promise<void> {
  return runAll(ofFile);
}

async function runAll(list: Set<Cleanup>): Promise<void> {
  const latestFirst = [...list].reverse();
  list.clear();
  for (const cleanup of latestFirst) await cleanup();
}
