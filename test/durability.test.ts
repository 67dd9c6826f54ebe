import { expect, test } from '@jest/globals';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from './support/app.ts';
import { run, startService, type Service } from './support/service.ts';

const ROUNDS = 20;
const CLIENTS = 32;
const NAMES = ['Fern', '', '\u0000', '\ud800', '🌿', '"\\\n', 'é'];

test('nothing acknowledged is lost and nothing is made up when the service is killed under load', async () => {
  const env = { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'plants.db')}` };
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  let created = 0n;

  for (let round = 0; round < ROUNDS; round += 1) {
    const service = await startService(env);
    const clients = Array.from({ length: CLIENTS }, () => createUntilKilled(service));
    await sleep(50 + round * 20); // Killed at another moment each time.
    service.process.kill('SIGKILL');
    await Promise.all(clients);
    await service.outcome;

    const { code, stdout } = await run('node', ['scripts/export.ts', '--history'], env);
    expect(code).toBe(0);
    const kept = stdout.split('\n').slice(0, -1);
    expect(new Set(kept).size).toBe(kept.length);
    expect(kept.filter((line) => !sent.has(line))).toEqual([]);
    expect([...acknowledged].filter((line) => !stdout.includes(`${line}\n`))).toEqual([]);
  }
  expect(acknowledged.size).toBeGreaterThan(ROUNDS * CLIENTS);

  /** Creates one plant after another, each id and name its own, until the service does not answer any more. */
  async function createUntilKilled({ url, token }: Service): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let alive = true; alive;) {
      created += 1n;
      const name = NAMES[Number(created) % NAMES.length];
      const line = `{"id":${String(2n ** 63n - created)},"name":${JSON.stringify(name)},"tag":"${String(created)}"}`;
      sent.add(line);
      const status = await new Promise<number | undefined>((resolve) => {
        const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
        request(`${url}/plants`, { method: 'POST', agent, headers }, (res) => {
          res.resume().once('close', () => {
            resolve(res.complete ? res.statusCode : undefined);
          });
        })
          .once('error', () => {
            resolve(undefined);
          })
          .end(line);
      });
      alive = status !== undefined;
      if (status === 200) acknowledged.add(line);
      else expect(status).toBeUndefined();
    }
    agent.destroy();
  }
}, 180_000);
