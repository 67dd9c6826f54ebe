import { once } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { beginCreation, openRawConnection, guestRequest } from '@contract-first/testing/connection.ts';
import { runProcess, start, startServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';

test('SIGTERM finishes a pending request, accepts a request that arrives at the same time, and then exits 0', async () => {
  const service = await startServiceProcess();
  const guest = guestRequest(service.token, '{"id":1,"name":"Anna"}');
  const slow = await openRawConnection(service.url);
  const idle = await openRawConnection(service.url);
  idle.write(guest);
  await idle.receive('{"name":"Anna"}');
  slow.write(guest.slice(0, -5));

  service.process.kill('SIGTERM');
  await service.waitForOutput('stopping');
  await untilConnectionRefused(service.url);
  idle.write(guest);
  slow.write(guest.slice(-5));
  expect(await slow.closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/);
  expect((await idle.closed()).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  expect((await service.outcome).code).toBe(0);
});

test('SIGTERM answers requests on connections that wait in the accept queue', async () => {
  const busy = `data:text/javascript,process.on('SIGUSR2', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500))`;
  const service = await startServiceProcess({}, ['node', '--import', busy, 'src/main.ts']);
  service.process.kill('SIGUSR2');
  await sleep(50);
  const waiting = await Promise.all(Array.from({ length: 50 }, () => openRawConnection(service.url)));
  for (const connection of waiting) connection.write(guestRequest(service.token, '{"id":1,"name":"Anna"}'));
  service.process.kill('SIGTERM');
  for (const connection of waiting) expect(await connection.closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect((await service.outcome).code).toBe(0);
});

test('SIGTERM: a Ctrl-C that arrives twice, from npm and from the terminal, counts once', async () => {
  const service = await startServiceProcess();
  const finish = await beginCreation(service);
  service.process.kill('SIGINT');
  await sleep(5); // The kernel would merge two simultaneous signals.
  service.process.kill('SIGINT');
  await service.waitForOutput('stopping');
  await untilConnectionRefused(service.url);
  expect(await finish()).toMatch(/^HTTP\/1\.1 200 OK/);
  expect((await service.outcome).code).toBe(0);
});

test('SIGTERM while the modules are loading ends the start with exit 0', async () => {
  // Reports when run() installs its signal handler, which is its first action.
  const report = `data:text/javascript,process.once('newListener', (name) => console.log(name))`;
  const { process: starting, outcome } = start('node', ['--import', report, 'src/main.ts'], {});
  await once(starting.stdout, 'data');
  starting.kill('SIGTERM');
  expect(await outcome).toEqual({ code: 0, stdout: 'SIGTERM\n', stderr: '' });
});

test('SIGTERM at the start ends the process at once, with exit 0', async () => {
  const { connected, port } = await listenSilently(); // A database that never responds.
  const env = { API_TOKENS: 'test-token', DATABASE_URL: `postgres://x:x@127.0.0.1:${port}/x` };
  const { process, outcome } = start('node', ['src/main.ts'], env);
  await connected;
  process.kill('SIGTERM');
  expect(await outcome).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('SIGTERM at the start does not wait for a SQLite statement that waits for a lock', async () => {
  const path = join(temporaryFolder(), 'guests.db');
  const database = new DatabaseSync(path);
  cleanUp(() => {
    database.close();
  });
  database.exec('CREATE TABLE t (x); BEGIN EXCLUSIVE; INSERT INTO t VALUES (1)');
  const startWaiting = async () => {
    const child = start('node', ['src/main.ts'], {
      API_TOKENS: 'test-token',
      PORT: '0',
      DATABASE_URL: `sqlite:${path}`,
    });
    await until(() => opened(child.process.pid).includes(path), true);
    return child;
  };
  const [other, { process, outcome }] = [await startWaiting(), await startWaiting()];
  process.kill('SIGTERM');
  const first = await Promise.race([outcome, other.outcome]); // The other process waits for some seconds.
  expect(first).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('SIGTERM does not wait for a JWKS endpoint that does not respond', async () => {
  const { connected, port } = await listenSilently();
  const keys = { JWT_ISSUER: 'x', JWT_AUDIENCE: 'x', JWT_JWKS_URL: `http://127.0.0.1:${port}/keys` };
  const service = await startServiceProcess({ ...keys, NODE_ENV: 'production' });
  await connected;
  service.process.kill('SIGTERM');
  const { code, stdout } = await service.outcome;
  expect(code).toBe(0);
  expect(stdout).toMatch(/"msg":"stopped"}\n$/); // No line for a later failed attempt.
});

test('SIGTERM and closing the terminal have the same effect', async () => {
  const terminal = ['script', '-qfec', 'exec node src/main.ts', '/dev/null'];
  const service = await startServiceProcess({}, terminal);
  const finish = await beginCreation(service);
  service.process.kill('SIGKILL');
  await untilConnectionRefused(service.url);
  expect(await finish()).toMatch(/^HTTP\/1\.1 200 OK/);
});

test('SIGTERM does not wait for idle connections', async () => {
  const service = await startServiceProcess();
  const silent = await openRawConnection(service.url);
  const half = await openRawConnection(service.url);
  half.write('POST /pl');
  await fetch(service.url);
  service.process.kill('SIGTERM');
  expect(await silent.closed()).toBe('');
  expect(await half.closed()).toBe('');
  expect((await service.outcome).code).toBe(0);
});

test.each([
  ['has stalled: closed long before the deadline', '600000'],
  ['has not arrived at the deadline', '100'],
])('SIGTERM does not count a request whose body %s; exit 0', async (_name, graceMs) => {
  const service = await startServiceProcess({ SHUTDOWN_GRACE_MS: graceMs });
  const slow = await openRawConnection(service.url);
  slow.write(guestRequest(service.token, '{"id":1,"name":"Anna"}').slice(0, -5));
  await fetch(service.url); // The response shows that all earlier bytes have been read.
  service.process.kill('SIGTERM');
  expect(await slow.closed()).toBe('');
  expect((await service.outcome).code).toBe(0);
});

test('SIGTERM does not wait for a lock that another process holds on the database', async () => {
  const url = temporaryDatabase();
  const env = { DATABASE_URL: url, DATABASE_TIMEOUT_MS: '600000', SHUTDOWN_GRACE_MS: '100' };
  const service = await startServiceProcess(env);
  const other = new DatabaseSync(url.replace('sqlite:', ''));
  other.exec('BEGIN IMMEDIATE');
  const connection = await openRawConnection(service.url);
  connection.write(guestRequest(service.token, '{"id":1,"name":"Anna"}'));
  await fetch(service.url); // The response shows that all earlier bytes have been read.
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(1);
  expect(await connection.closed()).toBe('');
  other.close();
});

test('SIGTERM does not wait for a database statement that never ends; exit 1', async () => {
  const url = temporaryDatabase();
  const service = await startServiceProcess({ DATABASE_URL: url, SHUTDOWN_GRACE_MS: '100' });
  const database = new DatabaseSync(url.replace('sqlite:', ''));
  database.exec(`CREATE TRIGGER endless BEFORE INSERT ON guests BEGIN
    SELECT (WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c);
  END`);
  database.close();
  const connection = await openRawConnection(service.url);
  connection.write(guestRequest(service.token, '{"id":1,"name":"Anna"}'));
  await fetch(service.url); // The response shows that all earlier bytes have been read.
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(1);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a second signal after SIGTERM, %s, ends the process at once, with exit 1',
  async (signal) => {
    const service = await startServiceProcess();
    const slow = await openRawConnection(service.url);
    slow.write(guestRequest(service.token, '{"id":1,"name":"Anna"}').slice(0, -5));
    await fetch(service.url); // The response shows that all earlier bytes have been read.
    service.process.kill('SIGTERM');
    await service.waitForOutput('stopping');
    await sleep(1_100); // Earlier, the signal would count as a duplicate of the first.
    service.process.kill(signal);
    expect((await service.outcome).code).toBe(1);
  },
);

test('an uncaught error is logged, pending requests are answered and stored, and then exit 1', async () => {
  const faulty = `data:text/javascript,process.on('SIGUSR2', () => { throw new Error('thrown in a listener') })`;
  const url = temporaryDatabase();
  const service = await startServiceProcess({ DATABASE_URL: url }, ['node', '--import', faulty, 'src/main.ts']);
  const finish = await beginCreation(service);
  service.process.kill('SIGUSR2');
  await service.waitForOutput('thrown in a listener');
  await untilConnectionRefused(service.url);
  expect(await finish()).toMatch(/^HTTP\/1\.1 200 OK/);
  expect((await service.outcome).code).toBe(1);
  expect(service.output()).toMatch(/^\{"level":60,.*"uncaught error"\}$/m);
  const { stdout } = await runProcess('node', ['scripts/export.ts'], { DATABASE_URL: url });
  expect(stdout).toBe('{"id":1,"name":"Anna"}\n');
});

test('SIGUSR2 does not end the process', async () => {
  const service = await startServiceProcess();
  service.process.kill('SIGUSR2');
  expect((await fetch(`${service.url}/nothing`)).status).toBe(404);
});

async function untilConnectionRefused(url: string): Promise<void> {
  const connects = (): Promise<boolean> => openRawConnection(url).then(Boolean, () => false);
  while (await connects()) await sleep(1);
}

/** Starts a server that accepts connections but never responds. */
async function listenSilently() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  const connected = once(server, 'connection');
  await once(server, 'listening');
  cleanUp(() => void server.close());
  return { connected, port: String((server.address() as AddressInfo).port) };
}

/** Returns the paths of the files that a process has open. */
function opened(pid: number | undefined): readonly string[] {
  const folder = `/proc/${String(pid)}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return []; // The file was closed meanwhile.
    }
  });
}
