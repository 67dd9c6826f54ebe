import { expect, test } from '@jest/globals';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { userInfo } from 'node:os';
import { temporaryFolder } from './support/app.ts';
import { createUntilStopped } from './support/load.ts';
import { run, startService, type Service } from './support/service.ts';

/** Starts the service with a small file system of its own at a path; it is gone with the service. */
async function startOnSmallDisk(folder: string, sizeKiB: number): Promise<Service> {
  const becomeRoot = userInfo().uid === 0 ? [] : ['--user', '--map-root-user'];
  const script = `mount -t tmpfs -o size=${String(sizeKiB)}k tmpfs ${folder} && exec node src/main.ts`;
  const env = { DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` };
  return startService(env, ['unshare', ...becomeRoot, '--mount', 'sh', '-c', script]);
}

test('a full disk: 503 with Retry-After and never a false 200; with room again, the service goes on', async () => {
  const folder = temporaryFolder();
  const service = await startOnSmallDisk(folder, 1_024);
  // The file system is mounted for the service only; its process shows it to others.
  const seen = join(`/proc/${String(service.process.pid)}/root`, folder);
  writeFileSync(join(seen, 'ballast'), Buffer.alloc(400_000));
  const create = (body: string) =>
    fetch(`${service.url}/plants`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
      body,
    });

  const load = createUntilStopped(service, 8);
  await load.until(() => (load.failures.get('503') ?? 0) >= 100);
  const refused = await create('{"id":1,"name":"Fern"}');
  expect(refused.status).toBe(503);
  expect(refused.headers.get('Retry-After')).toBe('1');
  expect(await refused.json()).toEqual({ error: 503, message: expect.any(String) });
  rmSync(join(seen, 'ballast'));
  await load.acknowledges(100);
  await load.stop();
  expect([...load.failures.keys()]).toEqual(['503']);

  const copy = join(temporaryFolder(), 'plants.db');
  for (const suffix of ['', '-wal']) copyFileSync(join(seen, `plants.db${suffix}`), `${copy}${suffix}`);
  const { stdout } = await run('node', ['scripts/export.ts', '--history'], { DATABASE_URL: `sqlite:${copy}` });
  const kept = new Set(stdout.split('\n'));
  expect([...load.acknowledged].filter((line) => !kept.has(line))).toEqual([]);
  const database = new DatabaseSync(copy);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
}, 60_000);
