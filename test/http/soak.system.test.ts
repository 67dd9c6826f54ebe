import { expect, test } from '@jest/globals';
import { randomInt, randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnection, sendUnread, type Connection } from '../support/connection.ts';
import { HOSTILE_REQUESTS } from '../support/hostile-requests.ts';
import { NODE_WITH_MEMORY_REPORT, usedBytes } from '../support/memory.ts';
import { copyProjectWithContract } from '../support/project.ts';
import { parseAnswers } from '../support/raw-answer.ts';
import { rounds } from '../support/rounds.ts';
import { run, startService, type Service } from '../support/service.ts';
import { until } from '../support/until.ts';

const SECONDS = rounds(5, 300);
const FIRST_BEDS = 20_000; // An unread export is larger than the buffers of the kernel.
const STREAM_LIMIT = 10;
const KEPT_SOCKETS = 20;
const PHOTO_BYTES = 200_000;
const ENVIRONMENT = {
  LOG_LEVEL: 'warn',
  STREAM_LIMIT: String(STREAM_LIMIT),
  DATABASE_POOL_SIZE: '20',
  STREAM_STALL_TIMEOUT_MS: '1000',
  HEADERS_TIMEOUT_MS: '2000',
  REQUEST_TIMEOUT_MS: '4000',
  DATABASE_TIMEOUT_MS: '60000', // A busy machine is no failure of the database.
};

const CALM_MS = 60_000;
/** What an honest client may get instead: 503 in an overload, and 408 if this process stalls on a busy machine. */
const REFUSALS = [408, 503];

type Client = () => Promise<void>;
type Bed = { readonly id: number; readonly crop: string };

test(
  'beside hostile clients, every acknowledged creation is stored once, no request gets 500, and nothing leaks',
  async () => {
    const { folder } = copyProjectWithContract('garden');
    expect(await run('node', ['scripts/generate.ts'], {}, folder)).toMatchObject({ code: 0 });
    const service = await startService(ENVIRONMENT, [...NODE_WITH_MEMORY_REPORT, 'src/main.ts'], folder);
    const honest = createHonestClients(service);
    const hostile = createHostileClients(service);
    const serveAll = async (seconds: number) => {
      await runClients([...honest.clients, ...hostile.clients], seconds);
      honest.disconnect();
      await until(() => gauge(service, 'http_streams'), 0, CALM_MS); // The kept sockets are still open.
      hostile.disconnect();
      await until(() => gauge(service, 'http_connections'), 0, CALM_MS);
      const files = readdirSync(`/proc/${String(service.process.pid)}/fd`);
      return { bytes: await usedBytes(service), files: files.length };
    };
    await Promise.all(Array.from({ length: 50 }, () => honest.createBeds(FIRST_BEDS / 50)));
    const before = await serveAll(rounds(3, 10));
    const after = await serveAll(SECONDS);
    expect(after.bytes - before.bytes).toBeLessThan(5_000_000);
    // SQLite keeps the files of closed connections for later ones.
    expect(after.files - before.files).toBeLessThanOrEqual(STREAM_LIMIT);

    await honest.createBeds(1);
    expect(await honest.readExport()).toBe('complete');
    const metrics = await readMetrics(service);
    expect(metrics).not.toMatch(/^http_requests_total\{.*status="500"/m);
    expect(metrics).toMatch(/^http_responses_incomplete_total\{operation="exportBeds"\} [1-9]/m);

    service.process.kill('SIGTERM');
    const { code, stdout, stderr } = await service.outcome;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(/"level":[56]0/);
  },
  240_000 + SECONDS * 1_000,
);

/** Runs clients again and again, all at the same time. */
async function runClients(clients: readonly Client[], seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        await client();
        await sleep(randomInt(20));
      }
    }),
  );
}

async function readMetrics({ opsUrl }: Service): Promise<string> {
  return (await fetch(`${opsUrl}/metrics`)).text();
}

async function gauge(service: Service, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await readMetrics(service))?.[1]);
}

/** Returns the text of a request. */
function messageOf(start: string, token: string, fields: Readonly<Record<string, string>>, body = ''): string {
  const lines = Object.entries({ Host: 'x', Authorization: `Bearer ${token}`, ...fields });
  return `${[start, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n${body}`;
}

const photoOf = (id: number): string => `/beds/${String(id)}/photo`;

/** Creates clients that expect what the document promises. An overload may refuse their requests, but nothing else. */
function createHonestClients({ url, token }: Service) {
  const acknowledged = new Map<number, string>();
  let crops = 0;
  let agent = new Agent({ keepAlive: true });
  return {
    clients: [
      ...Array<Client>(4).fill(() => createBeds(1)),
      ...Array<Client>(2).fill(async () => {
        await readExport();
      }),
      ...[createAfterReset, readPhoto],
    ],
    createBeds,
    readExport,
    disconnect() {
      agent.destroy();
      agent = new Agent({ keepAlive: true });
    },
  };

  function newBed() {
    const body = JSON.stringify({ crop: `${String((crops += 1))} ${'🌱'.repeat(90)}` });
    return { body, fields: { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() } };
  }

  async function createBeds(count: number): Promise<void> {
    for (let rest = count; rest > 0; rest -= 1) await create(newBed());
  }

  async function create({ body, fields }: ReturnType<typeof newBed>): Promise<void> {
    const { status, text } = await send('POST', '/beds', fields, body);
    if (status === 201) {
      const { id, crop } = JSON.parse(text) as Bed;
      acknowledged.set(id, crop);
    } else {
      expect(REFUSALS).toContain(status);
      await sleep(100);
      await create({ body, fields });
    }
  }

  /** Loses the connection, perhaps before the response, and sends the creation again. */
  async function createAfterReset(): Promise<void> {
    const bed = newBed();
    const length = { 'Content-Length': String(Buffer.byteLength(bed.body)) };
    const connection = await openConnection(url);
    connection.write(Buffer.from(messageOf('POST /beds HTTP/1.1', token, { ...bed.fields, ...length }, bed.body)));
    await sleep(randomInt(5));
    connection.reset();
    await create(bed);
  }

  /** Reads the export. Where it says that it is complete, every bed acknowledged before is in it once. */
  async function readExport(): Promise<'complete' | 'incomplete'> {
    const known = [...acknowledged];
    const { status, text, isComplete } = await send('GET', '/export');
    if (status !== 200) expect(REFUSALS).toContain(status);
    if (status !== 200 || !isComplete) return 'incomplete'; // On a busy machine, this process may stall, too.
    const beds = text.split('\n').slice(0, -1);
    const crops = new Map(beds.map((line) => JSON.parse(line) as Bed).map(({ id, crop }) => [id, crop]));
    expect(known.filter(([id, crop]) => crops.get(id) !== crop)).toEqual([]);
    expect(new Set(crops.values()).size).toBe(beds.length);
    return 'complete';
  }

  async function readPhoto(): Promise<void> {
    const { status, text } = await send('GET', photoOf(randomInt(1, 5)));
    if (status === 200) expect(text).toHaveLength(PHOTO_BYTES);
    else expect([404, ...REFUSALS]).toContain(status);
  }

  function send(method: string, path: string, fields = {}, body = '') {
    type Answer = { readonly status: number | undefined; readonly text: string; readonly isComplete: boolean };
    return new Promise<Answer>((resolve, reject) => {
      const headers = { Authorization: `Bearer ${token}`, ...fields };
      const req = request(url + path, { method, agent, headers }, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        res
          .on('error', () => undefined)
          .once('close', () => {
            resolve({ status: res.statusCode, text, isComplete: res.complete });
          });
      });
      req.once('error', reject).end(body);
    });
  }
}

/** Creates clients that check only that each answer is one. */
function createHostileClients({ url, token }: Service) {
  const kept: Socket[] = [];
  const clients = [
    ...Array<Client>(STREAM_LIMIT).fill(leaveUnread),
    ...Array<Client>(10).fill(sendHalf),
    ...Array<Client>(4).fill(uploadSlowly),
    ...[attack, attack, sendWrongToken],
  ];
  const disconnect = (): void => {
    for (const socket of kept.splice(0)) socket.destroy();
  };
  return { clients, disconnect };

  async function leaveUnread(): Promise<void> {
    const version = randomInt(2) === 0 ? '1.0' : '1.1';
    const socket = await sendUnread(url, messageOf(`GET /export HTTP/${version}`, token, {}));
    await sleep(randomInt(3_000));
    if (kept.length < KEPT_SOCKETS) kept.push(socket);
    else socket.destroy();
  }

  async function attack(): Promise<void> {
    const [, bytes] = HOSTILE_REQUESTS[randomInt(HOSTILE_REQUESTS.length)] ?? ['', ''];
    const connection = await openConnection(url);
    connection.write(Buffer.from(bytes.toString('latin1').replaceAll('/plants', '/beds'), 'latin1'));
    await expectAnswers(connection);
  }

  async function sendHalf(): Promise<void> {
    const fields = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), 'Content-Length': '16' };
    const message = messageOf('POST /beds HTTP/1.1', token, fields, '{"crop":"beans"}');
    const connection = await openConnection(url);
    connection.write(message.slice(0, randomInt(message.length)));
    await leave(connection);
  }

  async function uploadSlowly(): Promise<void> {
    const fields = { 'X-Camera-Key': token, 'Content-Type': 'image/png', 'Content-Length': String(PHOTO_BYTES) };
    const connection = await openConnection(url);
    connection.write(messageOf(`PUT ${photoOf(randomInt(1, 5))} HTTP/1.1`, token, { ...fields, Connection: 'close' }));
    for (let pieces = Math.min(randomInt(20), 10); pieces > 0; pieces -= 1) {
      connection.write(Buffer.alloc(PHOTO_BYTES / 10, 'x'));
      await sleep(randomInt(100));
    }
    await leave(connection);
  }

  async function sendWrongToken(): Promise<void> {
    const connection = await openConnection(url);
    connection.write(messageOf('GET /export HTTP/1.1', 'wrong', { Connection: 'close' }));
    expect([401, ...REFUSALS]).toContain((await expectAnswers(connection))[0]);
  }

  /** Resets a connection, ends its sending side, or leaves it open until the service closes it. */
  async function leave(connection: Connection): Promise<void> {
    await sleep(randomInt(200));
    const choice = randomInt(3);
    if (choice === 0) {
      connection.reset();
      return;
    }
    if (choice === 1) connection.end();
    await expectAnswers(connection);
  }

  async function expectAnswers(connection: Connection): Promise<readonly number[]> {
    const statuses = parseAnswers(await connection.closed()).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500 && ![501, 503, 505].includes(status))).toEqual([]);
    return statuses;
  }
}
