import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTestStore } from '@contract-first/testing/app.ts';
import { temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startCreations } from '@contract-first/testing/load.ts';
import { runProcess, start, startServiceProcess } from '@contract-first/testing/service.ts';

/** Returns the command that starts the service with a small file system, which is mounted until the service ends. */
function onSmallDisk(folder: string, sizeKiB: number, redirection = ''): readonly string[] {
  return withMounts(
    `mount -t tmpfs -o size=${String(sizeKiB)}k tmpfs ${folder} && exec node src/main.ts ${redirection}`,
  );
}

/** Returns the command that runs a script in its own mount namespace. */
function withMounts(script: string): readonly string[] {
  const becomeRoot = userInfo().uid === 0 ? [] : ['--user', '--map-root-user'];
  return ['unshare', ...becomeRoot, '--mount', 'sh', '-c', script];
}

test('a log on a full disk: requests are answered, logging continues once there is space, and SIGTERM exits 0', async () => {
  const folder = temporaryFolder();
  const [command = '', ...args] = onSmallDisk(folder, 1_024, `>${join(folder, 'log')}`);
  const env = { PORT: '0', NODE_ENV: 'production', API_TOKENS: 'test-token', DATABASE_URL: temporaryDatabase() };
  const { process, outcome } = start(command, args, env);
  const seen = join(`/proc/${String(process.pid)}/root`, folder);
  const log = (): string => (existsSync(join(seen, 'log')) ? readFileSync(join(seen, 'log'), 'utf8') : '');
  while (!log().includes('http://')) await sleep(10);
  const [url = ''] = /http:[^"]+/.exec(log()) ?? [];
  expect(() => {
    writeFileSync(join(seen, 'ballast'), Buffer.alloc(2_000_000));
  }).toThrow('ENOSPC');
  for (let sent = 0; sent < 300; sent += 1) expect((await fetch(url)).status).toBe(404);
  rmSync(join(seen, 'ballast'));
  await fetch(`${url}/again`);
  // A response is sent before it is logged.
  const count = (): number => log().split('"status":404').length - 1;
  while (count() < 301) await sleep(10);
  process.kill('SIGTERM');
  expect((await outcome).code).toBe(0);
});

test('a full disk: /readyz is 503 even without a creation, and 200 once there is space', async () => {
  const folder = temporaryFolder();
  const service = await startServiceProcess(
    { DATABASE_URL: `sqlite:${join(folder, 'guests.db')}` },
    onSmallDisk(folder, 1_024),
  );
  const readiness = async (): Promise<number> => (await fetch(`${service.opsUrl}/readyz`)).status;
  expect(await readiness()).toBe(200);
  const ballast = join(`/proc/${String(service.process.pid)}/root`, folder, 'ballast');
  expect(() => {
    writeFileSync(ballast, Buffer.alloc(2_000_000));
  }).toThrow('ENOSPC');
  while ((await readiness()) === 200) await sleep(10);
  expect(await readiness()).toBe(503);
  rmSync(ballast);
  expect(await readiness()).toBe(200);
});

test('a full disk: 503 with Retry-After and never a false 200; once there is space, the service recovers', async () => {
  const folder = temporaryFolder();
  const env = { DATABASE_URL: `sqlite:${join(folder, 'guests.db')}` };
  const service = await startServiceProcess(env, onSmallDisk(folder, 1_024));
  // The file system is in the mount namespace of the service, which is reachable through /proc.
  const seen = join(`/proc/${String(service.process.pid)}/root`, folder);
  writeFileSync(join(seen, 'ballast'), Buffer.alloc(400_000));
  const create = (body: string) =>
    fetch(`${service.url}/guests`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
      body,
    });

  const load = startCreations(service, 8);
  await load.until(() => (load.failures.get('503') ?? 0) >= 100);
  // Large, since a small guest may still fit into the existing file.
  const refused = await create(`{"id":1,"name":"${'x'.repeat(620_000)}"}`);
  expect(refused.status).toBe(503);
  expect(refused.headers.get('Retry-After')).toBe('1');
  expect(await refused.json()).toEqual({ error: 503, message: expect.any(String) });
  rmSync(join(seen, 'ballast'));
  await load.acknowledges(100);
  await load.stop();
  expect([...load.failures.keys()]).toEqual(['503']);

  const copy = join(temporaryFolder(), 'guests.db');
  for (const suffix of ['', '-wal']) copyFileSync(join(seen, `guests.db${suffix}`), `${copy}${suffix}`);
  const { stdout } = await runProcess('node', ['scripts/export.ts'], { DATABASE_URL: `sqlite:${copy}` });
  const kept = new Set(stdout.split('\n'));
  expect([...load.acknowledged].filter((line) => !kept.has(line))).toEqual([]);
  const database = new DatabaseSync(copy);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  database.close();
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
});

test('a disk that fills during transactions: a failed transaction stores nothing, and later transactions succeed once there is space', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'notes.db');
  const fill = `mount -t tmpfs -o size=16m tmpfs ${folder} && head -c 12000000 /dev/zero >${folder}/ballast`;
  const [command = '', ...args] = withMounts(
    `${fill} && exec node ${join(import.meta.dirname, 'support/write-transactions.ts')} sqlite:${path}`,
  );
  const writing = start(command, args, {});
  const seen = join(`/proc/${String(writing.process.pid)}/root`, folder);
  const lines = (): readonly string[] => writing.output().split('\n').slice(0, -1);
  while (lines().filter((line) => line === 'unavailable').length < 3) await sleep(10);
  rmSync(join(seen, 'ballast'));
  while (lines().at(-1) === 'unavailable') await sleep(10);
  writing.process.kill('SIGSTOP');
  const copy = join(temporaryFolder(), 'notes.db');
  for (const suffix of ['', '-wal']) copyFileSync(join(seen, `notes.db${suffix}`), `${copy}${suffix}`);
  const confirmed = lines().filter((line) => line !== 'unavailable');
  const database = new DatabaseSync(copy);
  expect(database.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  const ids = database
    .prepare('SELECT id FROM notes')
    .all()
    .map(({ id }) => Number(id));
  expect(database.prepare('SELECT total FROM tally').get()).toEqual({ total: ids.length });
  expect(confirmed.map(Number).filter((id) => !ids.includes(id) || !ids.includes(-id))).toEqual([]);
  database.close();
});

test('a database on a read-only file system prevents the start with one line, but can be exported', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'guests.db');
  const store = await openTestStore(`sqlite:${path}`);
  await store.add({ id: 1n, name: 'Anna' });
  const readOnly = `mount --bind ${folder} ${folder} && mount -o remount,bind,ro ${folder} && exec node`;
  const runThere = (script: string) => {
    const [command = '', ...args] = withMounts(`${readOnly} ${script}`);
    return runProcess(command, args, { PORT: '0', DATABASE_URL: `sqlite:${path}` });
  };
  // The log exists, as after a service was killed.
  const stderr = `the database ${path} is read-only\n`;
  expect(await runThere('src/main.ts')).toEqual({ code: 1, stdout: '', stderr });
  expect(await runThere('scripts/export.ts')).toEqual({ code: 0, stdout: '{"id":1,"name":"Anna"}\n', stderr: '' });
  await store.close();
  const refused = {
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^the database .* cannot be opened: [^\n]*\n$/),
  };
  expect(await runThere('src/main.ts')).toEqual(refused);
});
