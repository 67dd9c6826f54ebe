import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, openTestStore, temporaryFolder } from '../support/app.ts';
import { openConnection, plantRequest } from '../support/connection.ts';
import { createUntilStopped } from '../support/load.ts';
import { ROOT, run, start, startService } from '../support/service.ts';
import { describeStores } from '../support/stores.ts';

const temporaryDatabase = (): string => `sqlite:${join(temporaryFolder(), 'new', 'plants.db')}`;

describe('npm start', () => {
  test('with nothing configured prints a curl line that is answered 200, and SIGTERM to npm stops it', async () => {
    const service = await startService({ DATABASE_URL: temporaryDatabase(), API_TOKENS: '' }, [
      'env',
      '-u',
      'API_TOKENS',
      'npm',
      'start',
      '--silent',
    ]);
    const curl = /^curl .*$/m.exec(service.output())?.[0] ?? '';
    const { stdout } = await run('sh', ['-c', `${curl} --silent --write-out ' %{http_code}'`]);
    expect(stdout).toBe('{"name":"Fern","tag":"indoor"} 200');

    service.process.kill('SIGTERM');
    expect(await service.outcome).toMatchObject({ code: 0, stderr: '' });
    await expect(fetch(service.url)).rejects.toThrow();
  });

  test('keeps the compile cache, and starts where it cannot be written', async () => {
    const folder = temporaryFolder();
    for (const name of ['src', 'generated']) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    mkdirSync(join(folder, 'node_modules'));
    for (const name of readdirSync(join(ROOT, 'node_modules')).filter((name) => !name.startsWith('.'))) {
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const cache = join(folder, 'node_modules/.cache');
    const startAndStop = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
      const service = await startService({ DOCS: 'off' }, ['node', 'src/main.ts'], folder);
      const connection = await openConnection(service.url);
      connection.write(plantRequest(service.token, '{"id":1,"name":"Fern"}'));
      expect(await connection.receive('{"name":"Fern"}')).toMatch(/^HTTP\/1\.1 200 OK/);
      service.process.kill(signal);
      await service.outcome;
    };

    await startAndStop('SIGKILL');
    expect(readdirSync(cache, { recursive: true }).length).toBeGreaterThan(100);
    await startAndStop('SIGTERM'); // The writer thread uses the same folder.
    const folders = readdirSync(cache, { recursive: true, withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name)).toEqual(['node', expect.stringMatching(/^v\d/)]);
    rmSync(cache, { recursive: true });
    writeFileSync(cache, 'no folder');
    await startAndStop('SIGTERM');
  });

  test('tokens that were configured are never printed', async () => {
    const service = await startService({ DATABASE_URL: temporaryDatabase(), API_TOKENS: 'one-secret,two-secret' });
    for (const token of ['one-secret', 'two-secret']) {
      const connection = await openConnection(service.url);
      connection.write(plantRequest(token, '{"id":1,"name":"Fern"}'));
      expect(await connection.receive('{"name":"Fern"}')).toMatch(/^HTTP\/1\.1 200 OK/);
    }
    service.process.kill('SIGINT');
    const { code, stdout, stderr } = await service.outcome;
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain('secret');
  });
});

describe('a configuration mistake stops the start, exit 1', () => {
  test('with every problem listed, a line each, and no secret in it', async () => {
    const outcome = await run('node', ['src/main.ts'], {
      PORT: '70000',
      HOST: ' ',
      API_TOKENS: 'fine-token,my secret,',
      DATABASE_URL: 'mysql://user:password@host/db',
      DATABASE_POOL_SIZE: '0',
      DATABASE_TIMEOUT_MS: '5s',
      DATABASE_QUEUE_LIMIT_BYTES: '',
      LOG_LEVEL: 'loud',
      DOCS: 'yes',
      BODY_LIMIT_BYTES: '1MB',
      HEADER_LIMIT_BYTES: '100',
      HEADERS_TIMEOUT_MS: '20000',
      REQUEST_TIMEOUT_MS: '10000',
      KEEP_ALIVE_TIMEOUT_MS: '0',
      CONNECTION_LIMIT: 'many',
      IN_FLIGHT_LIMIT: '0',
      EVENT_LOOP_DELAY_LIMIT_MS: '1e3',
      TRUST_PROXY: 'loopback, 10.0.0.0/33',
      OPS_HOST: '',
      OPS_PORT: '-1',
      SHUTDOWN_GRACE_MS: '-1',
      REUSE_PORT: 'yes',
      BODY_MEMORY_LIMIT_BYTES: '1000',
    });
    expect(outcome).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'API_TOKENS: token 2 of 3 contains a character not allowed in bearer tokens (RFC 6750, 2.1)',
        'API_TOKENS: token 3 of 3 is empty',
        'HOST must not be empty; 0.0.0.0 listens on every IPv4 interface',
        'PORT must be an integer from 0 to 65535, not "70000"',
        'REUSE_PORT must be on or off, not "yes"',
        'DATABASE_URL must be like sqlite:./data/service.db or postgres://user:password@host/database',
        'DATABASE_POOL_SIZE must be an integer from 1 to 100, not "0"',
        'DATABASE_TIMEOUT_MS must be an integer from 100 to 600000, not "5s"',
        'DATABASE_QUEUE_LIMIT_BYTES must be an integer from 1 to 1099511627776, not ""',
        'BODY_LIMIT_BYTES must be an integer from 1 to 268435456, not "1MB"',
        'HEADERS_TIMEOUT_MS must not be larger than REQUEST_TIMEOUT_MS, which counts from the same moment',
        'HEADER_LIMIT_BYTES must be an integer from 1024 to 1048576, not "100"',
        'KEEP_ALIVE_TIMEOUT_MS must be an integer from 100 to 3600000, not "0"',
        'CONNECTION_LIMIT must be an integer from 1 to 1000000, not "many"',
        'IN_FLIGHT_LIMIT must be an integer from 1 to 1000000, not "0"',
        'EVENT_LOOP_DELAY_LIMIT_MS must be an integer from 100 to 3600000, not "1e3"',
        'BODY_MEMORY_LIMIT_BYTES must not be smaller than BODY_LIMIT_BYTES',
        'TRUST_PROXY must be addresses or subnets, comma-separated: 10.0.0.0/8, fd00::/8, loopback, linklocal, uniquelocal',
        'OPS_HOST must not be empty; 0.0.0.0 listens on every IPv4 interface',
        'OPS_PORT must be an integer from 0 to 65535, not "-1"',
        'SHUTDOWN_GRACE_MS must be an integer from 0 to 3600000, not "-1"',
        'DOCS must be on or off, not "yes"',
        'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
        '',
      ].join('\n'),
    });
  });

  test('a number of proxies, where their addresses are needed', async () => {
    const { code, stderr } = await run('node', ['src/main.ts'], { API_TOKENS: 'test-token', TRUST_PROXY: '1' });
    expect(code).toBe(1);
    expect(stderr).toMatch(/^TRUST_PROXY must be addresses or subnets/);
  });

  test.each(['src/main.ts', 'scripts/export.ts'])('a .env that cannot be read, for %s', async (program) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, '.env'));
    const outcome = await run('node', [join(ROOT, program)], {}, folder);
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'the file .env cannot be read\n' });
  });

  test('no token in production', async () => {
    const outcome = await run('node', ['src/main.ts'], { NODE_ENV: 'production', DATABASE_URL: temporaryDatabase() });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^no credentials configured: .*set API_TOKENS.*\n$/),
    });
  });

  test.each(['PORT', 'OPS_PORT'])('%s is in use', async (name) => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    cleanUp(() => void other.close());
    const { port } = other.address() as AddressInfo;
    const env = { PORT: '0', [name]: String(port), DATABASE_URL: temporaryDatabase() };
    const outcome = await run('node', ['src/main.ts'], env);
    const line = `cannot listen on 127.0.0.1:${String(port)}: the port is in use\n`;
    expect(outcome).toEqual({ code: 1, stdout: '', stderr: line });
  });

  test('the host is not an address of this machine', async () => {
    const outcome = await run('node', ['src/main.ts'], { HOST: '192.0.2.1', DATABASE_URL: temporaryDatabase() });
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^cannot listen on 192\.0\.2\.1:3000: .*\n$/),
    });
  });

  test.each([
    ['is in a folder that cannot be written', () => '/proc/plants.db', /cannot be opened/],
    ['is in a folder that cannot be created', () => join(file('not a folder'), 'plants.db'), /cannot be opened/],
    ['is a folder', () => temporaryFolder(), /cannot be opened/],
    ['is not a database', () => file('This is a text file, not a database.'.repeat(100)), /is not a SQLite database/],
    ["is another program's database", otherDatabase, /is another program's database/],
    ['is the database of a newer version', newerDatabase, /was written by a newer version/],
    ['is a truncated database', () => damagedDatabase((bytes) => bytes.subarray(0, 20_480)), /is damaged/],
    [
      'is a database with a page of zeros',
      () => damagedDatabase((bytes) => bytes.fill(0, 8_192, 12_288)),
      /is damaged/,
    ],
    [
      'is a database with a page of noise',
      () => damagedDatabase((bytes) => bytes.fill(0x5a, 4_096, 8_192)),
      /is damaged/,
    ],
    [
      'is a database with a broken header',
      () => damagedDatabase((bytes) => bytes.fill(0xff, 0, 16)),
      /is not a SQLite/,
    ],
  ])('the database path %s', async (_name, makePath, reason) => {
    const path = await makePath();
    const read = (): Buffer | undefined =>
      statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
    const before = read();
    const outcome = await run('node', ['src/main.ts'], { PORT: '0', DATABASE_URL: `sqlite:${path}` });
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
    expect(outcome.stderr).toMatch(reason);
    expect(outcome.stderr).toContain(path);
    expect(read()).toEqual(before);
  });

  function file(content: string): string {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, content);
    return path;
  }

  async function newerDatabase(): Promise<string> {
    const path = join(temporaryFolder(), 'plants.db');
    await (await openTestStore(`sqlite:${path}`)).close();
    const database = new DatabaseSync(path);
    database.exec('PRAGMA user_version = 99');
    database.close();
    return path;
  }

  async function damagedDatabase(damage: (bytes: Buffer) => Buffer): Promise<string> {
    const path = join(temporaryFolder(), 'plants.db');
    const store = await openTestStore(`sqlite:${path}`);
    await Promise.all(Array.from({ length: 1_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x'.repeat(100) })));
    await store.close();
    writeFileSync(path, damage(readFileSync(path)));
    return path;
  }

  function otherDatabase(): string {
    const path = join(temporaryFolder(), 'other.db');
    const database = new DatabaseSync(path);
    database.exec('CREATE TABLE recipes (id INTEGER)');
    database.close();
    return path;
  }
});

describe('a write-ahead log that was cut off by a crash', () => {
  test('is not damage: everything committed before is there', async () => {
    const url = temporaryDatabase();
    const path = url.slice('sqlite:'.length);
    const service = await startService({ DATABASE_URL: url });
    const load = createUntilStopped(service, 1);
    await load.acknowledges(10);
    await load.stop();
    service.process.kill('SIGKILL');
    await service.outcome;
    const log = readFileSync(`${path}-wal`);
    writeFileSync(`${path}-wal`, Buffer.concat([log, log.subarray(-2_000)]));

    await startService({ DATABASE_URL: url });
    const { stdout } = await run('node', ['scripts/export.ts', '--history'], { DATABASE_URL: url });
    expect(new Set(stdout.split('\n').slice(0, -1))).toEqual(load.acknowledged);
  });
});

describeStores((createDatabase) => {
  test('ten processes can start concurrently on an empty database, and all serve', async () => {
    // The long timeout allows for ten processes on a busy machine.
    const longTimeouts = { DATABASE_TIMEOUT_MS: '30000', EVENT_LOOP_DELAY_LIMIT_MS: '30000' };
    const env = { DATABASE_URL: await createDatabase(), ...longTimeouts };
    const services = await Promise.all(Array.from({ length: 10 }, () => startService(env)));
    const load = createUntilStopped(services, 20);
    await load.acknowledges(500);
    await load.stop();
    expect([...load.failures]).toEqual([]);
    const { stdout } = await run('node', ['scripts/export.ts', '--history'], env);
    expect(new Set(stdout.split('\n').slice(0, -1))).toEqual(load.acknowledged);
  }, 60_000);
});

async function isListening(url: string): Promise<boolean> {
  return openConnection(url).then(
    () => true,
    () => false,
  );
}

describe('SIGTERM', () => {
  test('finishes a pending request, accepts one that arrives at the same time, and then exits 0', async () => {
    const service = await startService({ DATABASE_URL: temporaryDatabase() });
    const plant = plantRequest(service.token, '{"id":1,"name":"Fern"}');
    const slow = await openConnection(service.url);
    const idle = await openConnection(service.url);
    idle.write(plant);
    await idle.receive('{"name":"Fern"}');
    slow.write(plant.slice(0, -5));

    service.process.kill('SIGTERM');
    await service.waitForOutput('stopping');
    await untilConnectionRefused(service.url);
    idle.write(plant);
    slow.write(plant.slice(-5));
    expect(await slow.closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.*\r\n)*Connection: close\r\n/);
    expect((await idle.closed()).match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
    expect((await service.outcome).code).toBe(0);
  });

  test('answers requests on connections that wait in the accept queue', async () => {
    const busy = `data:text/javascript,process.on('SIGUSR2', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500))`;
    const service = await startService({ DATABASE_URL: temporaryDatabase() }, [
      'node',
      '--import',
      busy,
      'src/main.ts',
    ]);
    service.process.kill('SIGUSR2');
    await sleep(50);
    const waiting = await Promise.all(Array.from({ length: 50 }, () => openConnection(service.url)));
    for (const connection of waiting) connection.write(plantRequest(service.token, '{"id":1,"name":"Fern"}'));
    service.process.kill('SIGTERM');
    for (const connection of waiting) expect(await connection.closed()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect((await service.outcome).code).toBe(0);
  });

  test('Ctrl-C that arrives twice, from npm and from the terminal, counts once', async () => {
    const service = await startService({ DATABASE_URL: temporaryDatabase() });
    const slow = await openConnection(service.url);
    const plant = plantRequest(service.token, '{"id":1,"name":"Fern"}');
    slow.write(plant.slice(0, -5));
    await fetch(service.url); // The response shows that all earlier bytes have been read.
    service.process.kill('SIGINT');
    await sleep(5); // Two equal signals at the same moment would be merged.
    service.process.kill('SIGINT');
    await service.waitForOutput('stopping');
    await untilConnectionRefused(service.url);
    slow.write(plant.slice(-5));
    expect(await slow.closed()).toMatch(/^HTTP\/1\.1 200 OK/);
    expect((await service.outcome).code).toBe(0);
  });

  test('while the modules are loading ends the start with exit 0', async () => {
    // Reports when main.ts installs its signal handler, which is its first action.
    const report = `data:text/javascript,process.once('newListener', (name) => console.log(name))`;
    const { process: starting, outcome } = start('node', ['--import', report, 'src/main.ts'], {});
    await once(starting.stdout, 'data');
    starting.kill('SIGTERM');
    expect(await outcome).toEqual({ code: 0, stdout: 'SIGTERM\n', stderr: '' });
  });

  test('at the start ends it at once, with exit 0', async () => {
    // A database that never answers.
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    const connected = once(silent, 'connection');
    await once(silent, 'listening');
    cleanUp(() => void silent.close());
    const { port } = silent.address() as AddressInfo;
    const env = { API_TOKENS: 'test-token', DATABASE_URL: `postgres://x:x@127.0.0.1:${String(port)}/x` };
    const { process, outcome } = start('node', ['src/main.ts'], env);
    await connected;
    process.kill('SIGTERM');
    expect(await outcome).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('and a terminal that is closed are the same', async () => {
    const terminal = ['script', '-qfec', 'exec node src/main.ts', '/dev/null'];
    const service = await startService({ DATABASE_URL: temporaryDatabase() }, terminal);
    const slow = await openConnection(service.url);
    const plant = plantRequest(service.token, '{"id":1,"name":"Fern"}');
    slow.write(plant.slice(0, -5));
    await fetch(service.url); // The response shows that all earlier bytes have been read.
    service.process.kill('SIGKILL');
    while (await isListening(service.url)) await sleep(10);
    slow.write(plant.slice(-5));
    expect(await slow.closed()).toMatch(/^HTTP\/1\.1 200 OK/);
  });

  test('does not wait for idle connections', async () => {
    const service = await startService({ DATABASE_URL: temporaryDatabase() });
    const silent = await openConnection(service.url);
    const half = await openConnection(service.url);
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
  ])('does not count a request whose body %s; exit 0', async (_name, graceMs) => {
    const service = await startService({ DATABASE_URL: temporaryDatabase(), SHUTDOWN_GRACE_MS: graceMs });
    const slow = await openConnection(service.url);
    slow.write(plantRequest(service.token, '{"id":1,"name":"Fern"}').slice(0, -5));
    await fetch(service.url); // The response shows that all earlier bytes have been read.
    service.process.kill('SIGTERM');
    expect(await slow.closed()).toBe('');
    expect((await service.outcome).code).toBe(0);
  });

  test('does not wait for a lock that another process holds on the database', async () => {
    const url = temporaryDatabase();
    const env = { DATABASE_URL: url, DATABASE_TIMEOUT_MS: '600000', SHUTDOWN_GRACE_MS: '100' };
    const service = await startService(env);
    const other = new DatabaseSync(url.replace('sqlite:', ''));
    other.exec('BEGIN IMMEDIATE');
    const connection = await openConnection(service.url);
    connection.write(plantRequest(service.token, '{"id":1,"name":"Fern"}'));
    await fetch(service.url); // The response shows that all earlier bytes have been read.
    service.process.kill('SIGTERM');
    expect((await service.outcome).code).toBe(1);
    expect(await connection.closed()).toBe('');
    other.close();
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('a second signal, %s, ends it at once, with exit 1', async (signal) => {
    const service = await startService({ DATABASE_URL: temporaryDatabase() });
    const slow = await openConnection(service.url);
    slow.write(plantRequest(service.token, '{"id":1,"name":"Fern"}').slice(0, -5));
    await fetch(service.url); // The response shows that all earlier bytes have been read.
    service.process.kill('SIGTERM');
    await service.waitForOutput('stopping');
    await sleep(1_100); // Sooner, it would count as a duplicate of the first one.
    service.process.kill(signal);
    expect((await service.outcome).code).toBe(1);
  });
});

test('an uncaught error is logged, pending requests are answered and stored, and then exit 1', async () => {
  const faulty = `data:text/javascript,process.on('SIGUSR2', () => { throw new Error('thrown in a listener') })`;
  const url = temporaryDatabase();
  const service = await startService({ DATABASE_URL: url }, ['node', '--import', faulty, 'src/main.ts']);
  const slow = await openConnection(service.url);
  const plant = plantRequest(service.token, '{"id":1,"name":"Fern"}');
  slow.write(plant.slice(0, -5));
  await fetch(service.url); // The response shows that all earlier bytes have been read.
  service.process.kill('SIGUSR2');
  await service.waitForOutput('thrown in a listener');
  await untilConnectionRefused(service.url);
  slow.write(plant.slice(-5));
  expect(await slow.closed()).toMatch(/^HTTP\/1\.1 200 OK/);
  expect((await service.outcome).code).toBe(1);
  expect(service.output()).toMatch(/^\{"level":60,.*"uncaught error"\}$/m);
  const { stdout } = await run('node', ['scripts/export.ts'], { DATABASE_URL: url });
  expect(stdout).toBe('{"id":1,"name":"Fern"}\n');
});

test('SIGUSR2 does not end the process', async () => {
  const service = await startService({ DATABASE_URL: temporaryDatabase() });
  service.process.kill('SIGUSR2');
  expect((await fetch(service.url)).status).toBe(404);
});

async function untilConnectionRefused(url: string): Promise<void> {
  const connects = (): Promise<boolean> => openConnection(url).then(Boolean, () => false);
  while (await connects()) await sleep(1);
}
