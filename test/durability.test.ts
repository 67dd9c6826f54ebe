import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './support/app.ts';
import { createUntilStopped, type Load } from './support/load.ts';
import { run, startService } from './support/service.ts';

const ROUNDS = process.env['CI'] === undefined ? 10 : 50;
const CLIENTS = 32;

describe('under load, again and again, nothing acknowledged is lost and nothing is made up', () => {
  test('when the service is killed', async () => {
    const env = { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'plants.db')}` };
    const books = createBooks();
    for (let round = 0; round < ROUNDS; round += 1) {
      const service = await startService(env);
      const load = createUntilStopped(service, CLIENTS);
      await load.acknowledges(CLIENTS);
      await sleep(round * 5); // Killed at another moment each time.
      service.process.kill('SIGKILL');
      await load.ended;
      await service.outcome;
      books.enter(load);
      await books.compare(env);
    }
  }, 300_000);

  test('when the service is asked to stop: every request is answered, and it exits 0', async () => {
    const env = { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'plants.db')}` };
    const books = createBooks();
    for (let round = 0; round < ROUNDS; round += 1) {
      const service = await startService(env);
      const load = createUntilStopped(service, CLIENTS);
      await load.acknowledges(CLIENTS);
      await sleep(round * 5);
      service.process.kill('SIGTERM');
      await load.ended;
      expect((await service.outcome).code).toBe(0);
      expect([...load.failures.keys()]).toEqual(['NOT_CONNECTED']);
      books.enter(load);
    }
    await books.compare(env);
  }, 300_000);
});

/** What all rounds have sent and seen acknowledged, to be compared with what the store has. */
function createBooks() {
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  return {
    enter(load: Load): void {
      load.sent.forEach((line) => sent.add(line));
      load.acknowledged.forEach((line) => acknowledged.add(line));
    },
    async compare(env: Readonly<Record<string, string>>): Promise<void> {
      const { code, stdout } = await run('node', ['scripts/export.ts', '--history'], env);
      expect(code).toBe(0);
      const lines = stdout.split('\n').slice(0, -1);
      const kept = new Set(lines);
      expect(kept.size).toBe(lines.length);
      expect(lines.filter((line) => !sent.has(line))).toEqual([]);
      expect([...acknowledged].filter((line) => !kept.has(line))).toEqual([]);
    },
  };
}
