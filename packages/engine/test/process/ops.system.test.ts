import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, temporaryDatabase, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { beginCreation, openRawConnection } from '@contract-first/testing/connection.ts';
import { startPostgres } from '@contract-first/testing/postgres.ts';
import { copyProject, type Project } from '@contract-first/testing/project.ts';
import { runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';

async function get(service: ServiceProcess, path: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${service.opsUrl}${path}`);
  return { status: response.status, text: await response.text() };
}

async function create({ url, token }: ServiceProcess): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return fetch(`${url}/guests`, { method: 'POST', headers, body: '{"id":1,"name":"Anna"}' });
}

test('the ops listener serves three routes, which the API does not serve', async () => {
  const service = await startServiceProcess({});
  expect(await get(service, '/livez')).toEqual({ status: 200, text: 'live\n' });
  expect(await get(service, '/readyz?verbose')).toEqual({ status: 200, text: 'ready\n' });
  expect((await get(service, '/metrics')).status).toBe(200);
  expect(await get(service, '/guests')).toMatchObject({ status: 404 });
  expect(await get(service, '/constructor')).toMatchObject({ status: 404 });
  expect((await fetch(`${service.opsUrl}/livez`, { method: 'POST' })).status).toBe(405);
  for (const path of ['/livez', '/readyz', '/metrics']) expect((await fetch(service.url + path)).status).toBe(404);
});

test('clients that keep the ops listener busy do not block others', async () => {
  const service = await startServiceProcess({});
  const connections = await Promise.all(Array.from({ length: 150 }, () => openRawConnection(service.opsUrl)));
  for (const connection of connections) connection.write('GET /livez HTTP/1.1\r\n');
  expect((await get(service, '/livez')).status).toBe(200);
  expect((await get(service, '/readyz')).status).toBe(200);
});

test('/readyz is 503 while the database file is missing, and 200 after it is restored', async () => {
  const path = join(temporaryFolder(), 'guests.db');
  const service = await startServiceProcess({ DATABASE_URL: `sqlite:${path}` });
  renameSync(path, `${path}.away`);
  expect(await get(service, '/readyz')).toEqual({
    status: 503,
    text: 'not ready: the database cannot be used\n',
  });
  expect((await get(service, '/livez')).status).toBe(200);
  renameSync(`${path}.away`, path);
  expect(await get(service, '/readyz')).toEqual({ status: 200, text: 'ready\n' });
});

test('/readyz is 503 while PostgreSQL is down, and 200 after it restarts', async () => {
  const postgres = await startPostgres();
  cleanUp(postgres.stop);
  const service = await startServiceProcess({
    DATABASE_URL: await postgres.createDatabase(),
    DATABASE_TIMEOUT_MS: '3000',
  });
  expect((await get(service, '/readyz')).status).toBe(200);
  await postgres.kill('SIGKILL');
  expect(await get(service, '/readyz')).toMatchObject({ status: 503, text: expect.stringMatching(/^not ready: /) });
  await postgres.start();
  while ((await get(service, '/readyz')).status !== 200) await sleep(50);
  expect((await create(service)).status).toBe(200);
});

test('/readyz is 503 when the check of the store fails unexpectedly, and the service continues', async () => {
  const flag = join(temporaryFolder(), 'fail');
  const faulty = `data:text/javascript,
      import { existsSync } from 'node:fs';
      import { DatabaseSync } from 'node:sqlite';
      const { exec } = DatabaseSync.prototype;
      DatabaseSync.prototype.exec = function (sql) {
        if (existsSync('${flag}')) throw new TypeError('nobody expected this');
        return exec.call(this, sql);
      };`;
  const service = await startServiceProcess({}, ['node', '--import', faulty, 'src/main.ts']);
  writeFileSync(flag, '');
  expect(await get(service, '/readyz')).toEqual({ status: 503, text: 'not ready: the readiness check failed\n' });
  expect((await create(service)).status).toBe(500);
  rmSync(flag);
  expect((await get(service, '/readyz')).status).toBe(200);
});

test('/readyz is 503 while the service stops and requests are still being answered', async () => {
  const service = await startServiceProcess({});
  const finish = await beginCreation(service);
  service.process.kill('SIGTERM');
  await service.waitForOutput('stopping');
  expect(await get(service, '/readyz')).toEqual({ status: 503, text: 'not ready: stopping\n' });
  expect((await get(service, '/livez')).status).toBe(200);
  expect(await finish()).toMatch(/^HTTP\/1\.1 200 OK/);
  expect((await service.outcome).code).toBe(0);
});

test('/metrics has request counts and durations by operation and status, commits, and process metrics', async () => {
  const service = await startServiceProcess({});
  for (let count = 0; count < 3; count += 1) expect((await create(service)).status).toBe(200);
  await fetch(`${service.url}/nothing`);
  const garbage = await openRawConnection(service.url);
  garbage.write('GARBAGE\r\n\r\n');
  await garbage.closed();
  // The last requests are counted after their responses were sent.
  while (!(await get(service, '/metrics')).text.includes('status="400"')) await sleep(10);
  const { text } = await get(service, '/metrics');
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      'http_requests_total{operation="createGuest",status="200"} 3',
      'http_requests_total{operation="",status="404"} 1',
      'http_requests_total{operation="",status="400"} 1',
      'http_request_duration_seconds_count{operation="createGuest"} 3',
      'http_requests_in_flight 0',
      'database_commit_rows_sum 3',
      'database_commit_duration_seconds_count 3',
    ]),
  );
  expect(text).toMatch(/^http_connections \d/m);
  expect(text).toMatch(/^# TYPE http_requests_refused_total counter$/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.e-]+$/m);
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect(text).toMatch(/^process_start_time_seconds \d+$/m);
  expect(text).toMatch(/^build_info\{name="Guest book",version="1\.0\.0",node_version="v24\.[\d.]+"\} 1$/m);
});

test('/metrics follows the naming of Prometheus: only counters end in _total; units are base units', async () => {
  const { text } = await get(await startServiceProcess({}), '/metrics');
  const types = [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => ({ name, type }));
  expect(types.length).toBeGreaterThan(20);
  expect(types.filter(({ name, type }) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
  const otherUnits = /_(?:ms|milli\w+|micro\w+|nano\w+|minutes|kb|mb|kilo\w+|mega\w+|percent)(?:_|$)/i;
  expect(types.filter(({ name }) => otherUnits.test(name))).toEqual([]);
});

/** Copies the project and adds a counter, a gauge or a histogram. */
function copyWithMetric(source: string): Project {
  const project = copyProject();
  const service = project.read('src/service.ts').replace('{ location, ...options }) {\n', `$&${source};\n`);
  project.write('src/service.ts', `import { Counter, Gauge, Histogram } from '@contract-first/engine';\n${service}`);
  return project;
}

test("/metrics has the application's own metrics", async () => {
  const { folder } = copyWithMetric(`
    const registers = [options.metrics];
    new Counter({ name: 'seeds_sown_total', help: 'Seeds.', labelNames: ['crop'], registers }).inc({ crop: 'peas' }, 7);
    new Gauge({ name: 'beds', help: 'Beds.', registers, collect() { this.set(3); } });
    new Histogram({ name: 'row_metres', help: 'Rows.', buckets: [1, 2], registers }).observe(1.5)`);
  const { text } = await get(await startServiceProcess({}, undefined, folder), '/metrics');
  expect(text.split('\n')).toEqual(
    expect.arrayContaining(['seeds_sown_total{crop="peas"} 7', 'beds 3', 'row_metres_bucket{le="2"} 1']),
  );
  expect(text).toMatch(/^build_info\{/m);
});

test.each(['http_requests_total', 'http_connections', 'process_start_time_seconds'])(
  "/metrics has unique names: an application's %s with a used name prevents the start, exit 1",
  async (name) => {
    const { folder } = copyWithMetric(`new Gauge({ name: '${name}', help: 'Own.', registers: [options.metrics] })`);
    const outcome = await runProcess('node', ['src/main.ts'], { PORT: '0', DATABASE_URL: temporaryDatabase() }, folder);
    const message = `A metric with the name ${name} has already been registered.`;
    expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  },
);
