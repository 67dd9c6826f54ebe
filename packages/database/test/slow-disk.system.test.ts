import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { listGuests } from '@contract-first/testing/app.ts';
import { cleanUp, temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { startServiceProcess } from '@contract-first/testing/service.ts';

const SYNC_MICROS = 2_000_000;
const LIMITS = { DATABASE_TIMEOUT_MS: '60000', SHUTDOWN_GRACE_MS: '60000' };

/** Delays each sync of a process. */
async function slowDown(pid = 0): Promise<void> {
  const strace = spawn('strace', [
    ...['-f', '-p', String(pid), '-o', '/dev/null', '-e', 'trace=fsync,fdatasync'],
    ...['-e', `inject=fsync,fdatasync:delay_exit=${String(SYNC_MICROS)}`],
  ]);
  cleanUp(() => void strace.kill());
  await once(strace.stderr, 'data'); // strace has attached.
}

test('a disk that becomes slow delays creations only; creations pending at the stop are answered', async () => {
  const databaseUrl = temporaryDatabase();
  const service = await startServiceProcess({ ...LIMITS, DATABASE_URL: databaseUrl, LOG_LEVEL: 'error' });
  const send = async (id: number, token: string): Promise<number> => {
    const response = await fetch(`${service.url}/guests`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ id, name: 'Anna' }),
    });
    await response.arrayBuffer();
    return response.status;
  };
  for (let id = 0; id < 40; id += 1) expect(await send(id, service.token)).toBe(200);

  await slowDown(service.process.pid);
  expect(await send(40, service.token)).toBe(200); // The first slow commit may delay all requests.
  const answers: number[] = [];
  const creation = send(41, service.token).then((status) => answers.push(status));
  for (let request = 0; request < 3; request += 1) answers.push(await send(0, 'unknown-token'));
  await creation;
  expect(answers).toEqual([401, 401, 401, 200]);

  const pending = Promise.all([42, 43, 44].map((id) => send(id, service.token)));
  await send(0, 'unknown-token'); // The earlier requests have arrived by then.
  service.process.kill('SIGTERM');
  expect(await pending).toEqual([200, 200, 200]);
  expect((await service.outcome).code).toBe(0);
  const ids = (await listGuests(databaseUrl)).map(({ id }) => Number(id));
  expect(ids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 45 }, (_, id) => id));
});
