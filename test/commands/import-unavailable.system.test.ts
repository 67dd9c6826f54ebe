import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { newStore, plantLines } from '../support/import.ts';
import { startPostgres } from '@contract-first/testing/postgres.ts';

/** Starts an import, and locks its store from another connection after ten lines were stored. */
async function startLocked(timeoutMs: string) {
  const { startImport, has, history, path } = newStore(temporaryDatabase(), { DATABASE_TIMEOUT_MS: timeoutMs });
  const { process, outcome } = startImport();
  process.stdin.write(plantLines(1, 10));
  await has(10);
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec('BEGIN IMMEDIATE');
  return { process, outcome, database, history };
}

test('while the database is unavailable, import retries, and stores everything once and in order after PostgreSQL restarts', async () => {
  const postgres = await startPostgres();
  cleanUp(() => postgres.stop());
  const { startImport, has, history } = newStore(await postgres.createDatabase(), { DATABASE_TIMEOUT_MS: '3000' });
  const { process, outcome } = startImport();
  process.stdin.end(plantLines(1, 20_000));
  await has(1_000);
  await postgres.kill('SIGKILL');
  await sleep(3_000);
  await postgres.start();
  const { code, stderr } = await outcome;
  expect(stderr).toMatch(/^lines: 20,000 read, [\d,]+ stored, [\d,]+ already there, 0 rejected\n$/);
  expect(code).toBe(0);
  expect(await history()).toBe(plantLines(1, 20_000));
});

test('while the database is unavailable, import retries, and stores everything once and in order after the lock is released', async () => {
  const { process, outcome, database, history } = await startLocked('100');
  process.stdin.end(plantLines(11, 5_000));
  await sleep(1_000);
  database.exec('COMMIT');
  database.close();
  const { code, stderr } = await outcome;
  expect(stderr).toMatch(/^lines: 5,000 read, [\d,]+ stored, [\d,]+ already there, 0 rejected\n$/);
  expect(code).toBe(0);
  expect(await history()).toBe(plantLines(1, 5_000));
});

test('while the database is unavailable, import stops at an interrupt, and prints the line and the reason', async () => {
  const { process, outcome, database } = await startLocked('100');
  process.stdin.write(plantLines(11, 20));
  await sleep(500);
  process.kill('SIGINT');
  const { code, stderr } = await outcome;
  database.close();
  expect(stderr).toMatch(
    /^stopped at line 11: (?!interrupted).*; run it again with the same input to continue\nlines: 10 read, /,
  );
  expect(code).toBe(130);
});

test('while the database is unavailable, import ends at once at a second interrupt', async () => {
  const { process, outcome, database } = await startLocked('600000');
  process.stdin.write(plantLines(11, 20));
  await sleep(500);
  process.kill('SIGINT');
  await sleep(1_000);
  process.kill('SIGINT');
  expect(await outcome).toEqual({ code: null, stdout: '', stderr: '' });
  database.close();
});
