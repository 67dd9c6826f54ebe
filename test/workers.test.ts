import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createUntilStopped } from './support/load.ts';
import { run, startService, type Service } from './support/service.ts';
import { describeStores } from './support/stores.ts';

function opsUrlOf({ output }: Service): string {
  return /"opsUrl":"([^"]+)"/.exec(output())?.[1] ?? '';
}

function idsOfWorkers({ process }: Service): number[] {
  const id = String(process.pid);
  return readFileSync(`/proc/${id}/task/${id}/children`, 'utf8').trim().split(' ').map(Number);
}

async function stored(env: Readonly<Record<string, string>>): Promise<Set<string>> {
  const { stdout } = await run('node', ['scripts/export.ts', '--history'], env);
  return new Set(stdout.split('\n').slice(0, -1));
}

describeStores((createDatabase) => {
  test('WORKERS share the port; SIGUSR2 replaces them under load without a failed request; SIGTERM exits 0', async () => {
    const env = { DATABASE_URL: await createDatabase() };
    const service = await startService({ ...env, WORKERS: '2' });
    const before = idsOfWorkers(service);
    expect(before).toHaveLength(2);
    const load = createUntilStopped(service, 16);
    await load.acknowledges(200);
    service.process.kill('SIGUSR2');
    service.process.kill('SIGUSR2'); // Once is enough.
    await service.said('every process was replaced');
    await load.acknowledges(200);
    await load.stop();
    expect([...load.failures]).toEqual([]);
    const after = idsOfWorkers(service);
    expect(after).toHaveLength(2);
    expect(after.filter((id) => before.includes(id))).toEqual([]);
    expect(new Set(service.output().match(/"worker":\d(?=.*"status":200)/g)).size).toBe(4);

    service.process.kill('SIGTERM');
    expect((await service.outcome).code).toBe(0);
    expect(await stored(env)).toEqual(load.acknowledged);
  }, 60_000);
});

test('a worker that was killed is replaced, the others go on, and /metrics has the sum of all', async () => {
  const service = await startService({ WORKERS: '2' });
  const metrics = async (): Promise<string> => (await fetch(`${opsUrlOf(service)}/metrics`)).text();
  for (let count = 0; count < 10; count += 1) {
    // Each on a connection of its own, which the next worker gets.
    expect((await fetch(`${service.url}/nothing`, { headers: { Connection: 'close' } })).status).toBe(404);
  }
  while (!(await metrics()).includes('http_requests_total{operation="",status="404"} 10')) await sleep(10);

  const [killed = 0] = idsOfWorkers(service);
  process.kill(killed, 'SIGKILL');
  await service.said('a process ended, and is replaced');
  expect((await fetch(`${service.url}/nothing`)).status).toBe(404);
  expect(await (await fetch(`${opsUrlOf(service)}/readyz`)).text()).toBe('ready\n');
  while (idsOfWorkers(service).length < 2) await sleep(50);
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
}, 60_000);

test('a mistake that only a worker can find stops the start, exit 1, with one line for it', async () => {
  const outcome = await run('node', ['src/main.ts'], { WORKERS: '3', DATABASE_URL: 'sqlite:/proc/plants.db' });
  expect(outcome).toMatchObject({ code: 1, stdout: '' });
  expect(outcome.stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/cannot be opened/),
    'a process of the service could not be started',
  ]);
});
