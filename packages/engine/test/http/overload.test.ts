import { setTimeout as sleep } from 'node:timers/promises';
import { createTestApp, TOKEN, type TestApp } from '@contract-first/testing/app.ts';
import { openRawConnection, guestRequest } from '@contract-first/testing/connection.ts';

const REFUSED = { error: 503, message: 'The service cannot answer this request now; try again' };
const ANNA = { status: 200, body: { name: 'Anna' } };

const limits = {
  inFlightLimit: 1_000,
  bodyMemoryLimitBytes: 67_108_864,
  streamLimit: 100,
  eventLoopDelayLimitMs: 60_000,
};

function create(url: string, token = TOKEN): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  return fetch(`${url}/guests`, { method: 'POST', headers, body: '{"id":1,"name":"Anna"}' });
}

async function expectRefused(response: Response): Promise<void> {
  expect(response.status).toBe(503);
  expect(response.headers.get('Retry-After')).toBe('1');
  expect(await response.json()).toEqual(REFUSED);
}

/** Returns a handler that waits, and a function that releases it. */
function createGate() {
  const gate = Promise.withResolvers<undefined>();
  let waiting = 0;
  const createGuest = async () => {
    waiting += 1;
    await gate.promise;
    return ANNA;
  };
  return {
    createGuest,
    waiting: () => waiting,
    open: () => {
      gate.resolve(undefined);
    },
  };
}

function messages({ logged }: TestApp): unknown[] {
  return logged.map(({ msg }) => msg).filter((msg) => msg !== undefined);
}

test('503 with Retry-After at once beyond IN_FLIGHT_LIMIT, for every caller, and accepted requests get 200', async () => {
  const gate = createGate();
  const testApp = await createTestApp({ handlers: { createGuest: gate.createGuest } }, undefined, {
    ...limits,
    inFlightLimit: 2,
  });
  const { url, refused } = await testApp.serve();
  const accepted = [create(url), create(url)];
  while (gate.waiting() < 2) await sleep(1);
  await expectRefused(await create(url));
  await expectRefused(await create(url, 'nope'));
  gate.open();
  for (const response of await Promise.all(accepted)) expect(response.status).toBe(200);
  expect((await create(url)).status).toBe(200);
  expect(await refused()).toEqual(['in_flight', 'in_flight']);
  expect(messages(testApp)).toEqual(['overloaded']);
  // A line per refused request would add load.
  expect(testApp.logged.filter(({ status }) => status === 503)).toEqual([]);
});

test('a refused request leaves its connection open', async () => {
  const gate = createGate();
  const testApp = await createTestApp({ handlers: { createGuest: gate.createGuest } }, undefined, {
    ...limits,
    inFlightLimit: 1,
  });
  const { url } = await testApp.serve();
  const accepted = create(url);
  while (gate.waiting() < 1) await sleep(1);
  const connection = await openRawConnection(url);
  connection.write(guestRequest(TOKEN, '{"id":1,"name":"Anna"}'));
  expect(await connection.receive('}')).toMatch(/^HTTP\/1\.1 503 [^]*\r\nConnection: keep-alive\r\n/);
  gate.open();
  await accepted;
  connection.write(guestRequest(TOKEN, '{"id":1,"name":"Anna"}'));
  expect(await connection.receive('"Anna"}')).toMatch(/HTTP\/1\.1 200 OK/);
});

test('requests with incomplete bodies do not count', async () => {
  const testApp = await createTestApp({}, undefined, { ...limits, inFlightLimit: 1 });
  const { url } = await testApp.serve();
  const slow = await Promise.all(Array.from({ length: 5 }, () => openRawConnection(url)));
  const request = guestRequest(TOKEN, '{"id":1,"name":"Anna"}');
  for (const connection of slow) connection.write(request.slice(0, -5));
  expect((await create(url)).status).toBe(200);
  for (const connection of slow) {
    connection.write(request.slice(-5));
    expect(await connection.receive('"Anna"}')).toMatch(/^HTTP\/1\.1 200 OK/);
  }
});

test('a request whose body completes beyond the limit is refused like other requests', async () => {
  const gate = createGate();
  const testApp = await createTestApp({ handlers: { createGuest: gate.createGuest } }, undefined, {
    ...limits,
    inFlightLimit: 1,
  });
  const { url, refused } = await testApp.serve();
  const late = await openRawConnection(url);
  const request = guestRequest(TOKEN, '{"id":1,"name":"Anna"}');
  late.write(request.slice(0, -5));
  await fetch(url); // The response shows that all earlier bytes have been read.
  const accepted = create(url);
  while (gate.waiting() < 1) await sleep(1);
  late.write(request.slice(-5));
  expect(await late.receive('}')).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/);
  gate.open();
  await accepted;
  expect(await refused()).toEqual(['in_flight']);
  expect(testApp.logged.filter(({ status }) => status === 503)).toEqual([]);
});

const large = guestRequest(TOKEN, JSON.stringify({ id: 1, name: 'x'.repeat(60_000) }));
const [, head = ''] = /^([^]*?\r\n\r\n)/.exec(large) ?? [];
const serve = async () => {
  const testApp = await createTestApp({}, undefined, { ...limits, bodyMemoryLimitBytes: 130_000 });
  return { testApp, ...(await testApp.serve()) };
};

test('BODY_MEMORY_LIMIT_BYTES limits the sum of incomplete bodies; 503 before a body beyond the limit is read', async () => {
  const { testApp, url, refused } = await serve();
  const slow = await Promise.all([openRawConnection(url), openRawConnection(url)]);
  for (const connection of slow) connection.write(large.slice(0, -1));
  await fetch(url); // The response shows that all earlier bytes have been read.
  const third = await openRawConnection(url);
  third.write(head);
  expect(await third.receive('}')).toMatch(/^HTTP\/1\.1 503 [^]*\r\nretry-after: 1\r\n/);
  expect((await create(url)).status).toBe(200); // A small body needs no reservation.
  expect(await refused()).toEqual(['body_memory']);
  expect(messages(testApp)).toEqual(['overloaded']);

  for (const connection of slow) {
    connection.write(large.slice(-1));
    expect(await connection.receive('"}')).toMatch(/^HTTP\/1\.1 200 OK/);
  }
  const fourth = await openRawConnection(url);
  fourth.write(head);
  await fetch(url);
  fourth.write(large.slice(head.length));
  expect(await fourth.receive('"}')).toMatch(/^HTTP\/1\.1 200 OK/);
});

test('BODY_MEMORY_LIMIT_BYTES counts chunked bodies as they grow, and releases the memory of a client that disconnects', async () => {
  const { url, refused } = await serve();
  const chunked = `${head.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')}ea60\r\n${' '.repeat(60_000)}\r\n`;
  const clients = await Promise.all(Array.from({ length: 3 }, () => openRawConnection(url)));
  for (const client of clients) client.write(chunked);
  while ((await refused()).length === 0) await sleep(5);
  expect(await refused()).toEqual(['body_memory']);
  for (const client of clients) client.reset();
  while ((await send(url)).status !== 200) await sleep(5);
});

async function send(url: string): Promise<Response> {
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  return fetch(`${url}/guests`, { method: 'POST', headers, body: large.slice(head.length) });
}

test('503 while the event loop delay exceeds EVENT_LOOP_DELAY_LIMIT_MS, and 200 again afterwards', async () => {
  const createGuest = () => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    return Promise.resolve(ANNA);
  };
  const testApp = await createTestApp({ handlers: { createGuest } }, undefined, {
    ...limits,
    eventLoopDelayLimitMs: 40,
  });
  const { url, refused } = await testApp.serve();
  const isRefused = async (): Promise<boolean> => (await refused()).length > 0;
  const clients = Array.from({ length: 8 }, async () => {
    while (!(await isRefused())) {
      const response = await create(url);
      if (response.status === 503) await expectRefused(response);
      else expect(response.status).toBe(200);
    }
  });
  await Promise.all(clients);
  expect(new Set(await refused())).toEqual(new Set(['event_loop_delay']));
  while ((await create(url)).status !== 200) await sleep(20);
  expect(messages(testApp)).toEqual(['overloaded']);
});
