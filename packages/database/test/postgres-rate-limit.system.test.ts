import { sharedPostgres } from '@contract-first/testing/postgres-server.ts';
import { startProxy } from './support/proxy.ts';
import { runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';

const server = sharedPostgres();

const LIMIT = { API_TOKENS: 'alice:alice-token,bob:bob-token', RATE_LIMIT_REQUESTS: '6' };

function send({ url }: ServiceProcess, token = 'alice-token', body = '{"id":1,"name":"Anna"}'): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return fetch(`${url}/guests`, { method: 'POST', headers, body });
}

/** Sends concurrent requests, and returns the number of responses by status. */
async function sendMany(
  service: ServiceProcess,
  count: number,
  token?: string,
): Promise<Readonly<Record<string, number>>> {
  const responses = await Promise.all(Array.from({ length: count }, () => send(service, token)));
  const statuses = Map.groupBy(responses, ({ status }) => String(status));
  return Object.fromEntries([...statuses].map(([status, { length }]) => [status, length]));
}

test('two processes on one PostgreSQL database share the count of each caller', async () => {
  const env = { ...LIMIT, DATABASE_URL: await server.createDatabase() };
  const [first, second] = await Promise.all([startServiceProcess(env), startServiceProcess(env)]);
  expect(await sendMany(first, 4)).toEqual({ 200: 4 });
  expect(await sendMany(second, 5)).toEqual({ 200: 2, 429: 3 });
  expect(await sendMany(first, 3)).toEqual({ 429: 3 });
  expect((await send(first, 'bob-token')).headers.get('ratelimit')).toMatch(/^"default";r=5;t=\d+$/);
  expect((await send(second, 'bob-token')).headers.get('ratelimit')).toMatch(/^"default";r=4;t=\d+$/);
  second.process.kill('SIGTERM');
  expect(await second.outcome).toMatchObject({ code: 0, stderr: '' });
});

test('counts are removed after their window, and contain neither addresses nor names', async () => {
  const url = await server.createDatabase();
  const service = await startServiceProcess({ ...LIMIT, RATE_LIMIT_WINDOW_SECONDS: '1', DATABASE_URL: url });
  await sendMany(service, 2, 'alice-token');
  await sendMany(service, 2, 'wrong-token');
  const readCounts = () => server.query(url, 'SELECT key, count FROM rate_limit_counts');
  expect((await readCounts()).map(({ key }) => key)).toEqual(Array(2).fill(expect.stringMatching(/^[\w-]{43}$/)));
  // Counting for one caller removes the expired counts of others.
  await until(async () => {
    await send(service, 'bob-token');
    return (await readCounts()).length;
  }, 1);
});

test("a window that began while the server's clock was a year ahead has ended", async () => {
  const url = await server.createDatabase();
  const service = await startServiceProcess({ ...LIMIT, DATABASE_URL: url });
  expect(await sendMany(service, 2)).toEqual({ 200: 2 });
  await server.query(url, "UPDATE rate_limit_counts SET count = 9, expires_at = expires_at + interval '1 year'");
  expect(await sendMany(service, 7)).toEqual({ 200: 6, 429: 1 });
  const retryAfter = Number((await send(service)).headers.get('retry-after'));
  expect(retryAfter).toBeLessThanOrEqual(60);
});

test('when there are too many counts of addresses, the oldest are removed, but no counts of callers', async () => {
  const url = await server.createDatabase();
  const env = { ...LIMIT, RATE_LIMIT_REQUESTS: '1000', RATE_LIMIT_WINDOW_SECONDS: '3600', DATABASE_URL: url };
  const service = await startServiceProcess(env);
  const insert = (kind: string, count: number, seconds: number): Promise<unknown> =>
    server.query(
      url,
      `INSERT INTO rate_limit_counts (key, kind, count, expires_at)
       SELECT '${kind}-' || number, '${kind}', 1, now() + (${String(seconds)} + number / 1000.0) * interval '1 s'
       FROM generate_series(1, ${String(count)}) AS number`,
    );
  await insert('caller', 20, 1_000);
  await insert('address', 100_020, 2_000);
  const countOf = async (kind: string): Promise<number> =>
    Number((await server.query(url, `SELECT count(*) FROM rate_limit_counts WHERE kind = '${kind}'`))[0]?.['count']);
  await until(async () => {
    await send(service, 'wrong-token');
    return countOf('address');
  }, 100_001);
  expect((await send(service)).status).toBe(200);
  expect(await countOf('caller')).toBe(21);
  const [oldest] = await server.query(
    url,
    "SELECT key FROM rate_limit_counts WHERE kind = 'address' ORDER BY expires_at",
  );
  expect(oldest).toEqual({ key: 'address-21' });
});

test('the previous table, without kinds, is migrated with its counts', async () => {
  const url = await server.createDatabase();
  const env = { ...LIMIT, DATABASE_URL: url };
  const first = await startServiceProcess(env);
  expect(await sendMany(first, 4)).toEqual({ 200: 4 });
  first.process.kill('SIGTERM');
  await first.outcome;
  await server.query(
    url,
    `DROP INDEX rate_limit_counts_by_kind; ALTER TABLE rate_limit_counts DROP COLUMN kind;
     CREATE INDEX rate_limit_counts_by_expiry ON rate_limit_counts (expires_at); UPDATE rate_limit_schema SET version = 1`,
  );
  expect(await sendMany(await startServiceProcess(env), 4)).toEqual({ 200: 2, 429: 2 });
});

test('while the database is down, each process counts alone, and counts are shared again afterwards', async () => {
  const proxy = await startProxy(server.port);
  const url = proxy.through(await server.createDatabase());
  const env = { ...LIMIT, RATE_LIMIT_REQUESTS: '1000', RATE_LIMIT_WINDOW_SECONDS: '3600', DATABASE_URL: url };
  const [first, second] = await Promise.all([startServiceProcess(env), startServiceProcess(env)]);
  // A request with an invalid body uses the database only for the count.
  const left = async (service: ServiceProcess): Promise<number> => {
    const { status, headers } = await send(service, 'alice-token', 'null');
    expect(status).toBe(400);
    return Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  };
  expect(await left(first)).toBe(999);

  proxy.stall();
  proxy.cut();
  expect([await left(first), await left(first), await left(second)]).toEqual([998, 997, 999]);

  proxy.resume();
  proxy.cut();
  for (const service of [first, second]) {
    await until(async () => {
      await left(service);
      return service.output().includes('the database can be used for rate limits again');
    }, true);
  }
  const last = await left(first);
  expect(await left(second)).toBe(last - 1);
});

test('a user without permission to create the table cannot start with a limit; if the table exists, four permissions suffice', async () => {
  const url = await server.createDatabase();
  const startAndStop = async (env: Readonly<Record<string, string>>): Promise<void> => {
    const service = await startServiceProcess(env);
    service.process.kill('SIGTERM');
    await service.outcome;
  };
  await startAndStop({ DATABASE_URL: url });
  await server.query(
    url,
    `CREATE ROLE visitor LOGIN PASSWORD 'x';
     GRANT guests TO visitor WITH INHERIT FALSE;
     GRANT SELECT, INSERT ON guests TO visitor;
     GRANT SELECT ON guest_book_schema TO visitor`,
  );
  const env = { ...LIMIT, DATABASE_URL: url.replace(/\/\/[^@]*/, '//visitor:x') };
  expect(await runProcess('node', ['src/main.ts'], { ...env, PORT: '0' })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/this user may not create tables in the schema "public".* \(42501\)\n$/),
  });

  await startAndStop({ ...LIMIT, DATABASE_URL: url });
  await server.query(
    url,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON rate_limit_counts TO visitor; GRANT SELECT ON rate_limit_schema TO visitor`,
  );
  const service = await startServiceProcess(env);
  expect(await sendMany(service, 7)).toEqual({ 200: 6, 429: 1 });
  expect(service.output()).not.toContain('cannot be used');
});
