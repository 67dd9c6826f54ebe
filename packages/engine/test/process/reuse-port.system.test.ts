import { setTimeout as sleep } from 'node:timers/promises';
import { startCreations } from '@contract-first/testing/load.ts';
import { runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';

/** Starts another process of the service on the same port. */
function startBeside({ url }: ServiceProcess, env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
  return startServiceProcess({ ...env, REUSE_PORT: 'on', PORT: new URL(url).port });
}

async function isReady({ opsUrl }: ServiceProcess): Promise<boolean> {
  return (await fetch(`${opsUrl}/readyz`, { signal: AbortSignal.timeout(1_000) })).ok;
}

describeStores((createDatabase) => {
  test('REUSE_PORT: a second process takes over from the first under load, without a failed request', async () => {
    const env = { DATABASE_URL: await createDatabase() };
    const first = await startServiceProcess({ ...env, REUSE_PORT: 'on' });
    const load = startCreations(first, 16);
    await load.acknowledges(200);
    const second = await startBeside(first, env);
    first.process.kill('SIGTERM');
    expect((await first.outcome).code).toBe(0);
    await load.acknowledges(200);
    await load.stop();
    expect([...load.failures]).toEqual([]);
    await second.waitForOutput('"status":200');

    const { stdout } = await runProcess('node', ['scripts/export.ts'], env);
    expect(new Set(stdout.split('\n').slice(0, -1))).toEqual(load.acknowledged);
  });
});

test('REUSE_PORT: when a process exits or stops, the other process stays ready and serves requests', async () => {
  const first = await startServiceProcess({ REUSE_PORT: 'on' });
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGSTOP', 'SIGUSR2'] as const) {
    const second = await startBeside(first, {});
    second.process.kill(signal);
    for (let polls = 0; polls < 10; polls += 1) {
      expect(await isReady(first)).toBe(true);
      await sleep(20);
    }
    second.process.kill('SIGKILL');
    await second.outcome;
    expect((await fetch(`${first.url}/nothing`)).status).toBe(404);
  }
});

test('without REUSE_PORT, a port in use prevents the start', async () => {
  const first = await startServiceProcess({ REUSE_PORT: 'on' });
  const port = new URL(first.url).port;
  expect(await runProcess('node', ['src/main.ts'], { API_TOKENS: 'test-token', PORT: port })).toEqual({
    code: 1,
    stdout: '',
    stderr: `cannot listen on 127.0.0.1:${port}: the port is in use\n`,
  });
});
