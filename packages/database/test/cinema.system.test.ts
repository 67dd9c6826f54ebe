import { join } from 'node:path';
import { EXAMPLES, runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { until } from '@contract-first/testing/until.ts';

const folder = join(EXAMPLES, 'cinema');

async function send({ url, token }: ServiceProcess, method: string, path: string, body?: object) {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const response = await fetch(url + path, init);
  const text = await response.text();
  return { status: response.status, json: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

describeStores((createDatabase) => {
  const start = (env: Readonly<Record<string, string>>) => startServiceProcess(env, ['node', 'src/main.ts'], folder);

  /** Starts the cinema on an empty database, with a screening in 10 seats. */
  async function startCinema() {
    const env = { DATABASE_URL: await createDatabase() };
    const service = await start(env);
    expect(await send(service, 'POST', '/screenings', { film: 'Alien', seats: 10 })).toMatchObject({ status: 201 });
    return { env, service };
  }
  const freeSeats = async (service: ServiceProcess) => {
    const { json } = await send(service, 'GET', '/screenings/1');
    return (json as { readonly free: number }).free;
  };

  test('concurrent bookings never take more seats than are free: 201, or 409 when too few are free', async () => {
    const { service } = await startCinema();
    const booked = await Promise.all(
      Array.from({ length: 8 }, () => send(service, 'POST', '/screenings/1/bookings', { seats: 3 })),
    );
    expect(booked.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409]);
    expect(await freeSeats(service)).toBe(1);
    expect((await send(service, 'POST', '/screenings/2/bookings', { seats: 1 })).status).toBe(404);
    expect((await send(service, 'POST', '/screenings', { film: 'Alien', seats: 10 })).status).toBe(409);
  });

  test('the sales include paid bookings only, which Kysely reads from the same database: 200', async () => {
    const { service } = await startCinema();
    await send(service, 'POST', '/screenings/1/bookings', { seats: 3 });
    await send(service, 'POST', '/screenings/1/bookings', { seats: 2 });
    expect((await send(service, 'GET', '/sales')).json).toEqual({ sales: [] });
    expect((await send(service, 'PUT', '/bookings/2/payment')).status).toBe(204);
    expect((await send(service, 'PUT', '/bookings/3/payment')).status).toBe(404);
    expect(await send(service, 'GET', '/sales')).toEqual({
      status: 200,
      json: { sales: [{ film: 'Alien', seats: 2 }] },
    });
  });

  test('the command releases unpaid seats, as the service does in the background until it stops: exit 0', async () => {
    const { env, service } = await startCinema();
    await send(service, 'POST', '/screenings/1/bookings', { seats: 3 });
    await send(service, 'POST', '/screenings/1/bookings', { seats: 2 });
    await send(service, 'PUT', '/bookings/2/payment');
    const release = (seconds: string) =>
      runProcess('node', ['src/commands/release.ts'], { ...env, HOLD_SECONDS: seconds }, folder);
    expect(await release('-1')).toMatchObject({
      code: 1,
      stderr: 'HOLD_SECONDS must be an integer from 0 to 86400, not "-1"\n',
    });
    expect(await release('600')).toEqual({ code: 0, stdout: 'bookings released: 0\n', stderr: '' });
    expect(await release('0')).toEqual({ code: 0, stdout: 'bookings released: 1\n', stderr: '' });
    expect(await freeSeats(service)).toBe(8);

    const releasing = await start({ ...env, HOLD_SECONDS: '0' });
    await send(service, 'POST', '/screenings/1/bookings', { seats: 4 });
    const metrics = async () => (await fetch(`${releasing.opsUrl}/metrics`)).text();
    await until(async () => /^cinema_bookings_released_total 1$/m.test(await metrics()), true);
    expect(await freeSeats(service)).toBe(8);
    releasing.process.kill('SIGTERM');
    expect(await releasing.outcome).toMatchObject({ code: 0, stderr: '' });
  });
});
