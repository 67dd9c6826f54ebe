import { randomInt, randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { openRawConnection, sendUnread, type RawConnection } from '@contract-first/testing/connection.ts';
import { HOSTILE_REQUESTS } from './hostile-requests.ts';
import { parseAnswers } from './raw-answer.ts';
import type { ServiceProcess } from '@contract-first/testing/service.ts';

/** Performs one action of a client of `examples/garden`. */
export type Client = () => Promise<void>;

type Bed = { readonly id: number; readonly crop: string };
type Answer = { readonly status: number | undefined; readonly text: string; readonly isComplete: boolean };

const KEPT_SOCKETS = 20;
const PHOTO_BYTES = 200_000;
/** The statuses that an honest client may also get: 503 on overload, 408 if this process stalls on a busy machine. */
const REFUSALS = [408, 503];

/** Creates clients of the garden that expect the documented responses. */
export function createHonestClients({ url, token }: ServiceProcess) {
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

  /** Creates a bed. Retries after each refusal. */
  async function create({ body, fields }: ReturnType<typeof newBed>): Promise<void> {
    const { status, text } = await send('POST', '/beds', fields, body);
    if (status === 201) {
      const { id, crop } = JSON.parse(text) as Bed;
      acknowledged.set(id, crop);
    } else {
      // 409 while a request whose connection was reset is still in progress.
      expect([409, ...REFUSALS]).toContain(status);
      await sleep(100);
      await create({ body, fields });
    }
  }

  /** Resets the connection, perhaps before the response, and sends the creation again. */
  async function createAfterReset(): Promise<void> {
    const bed = newBed();
    const length = { 'Content-Length': String(Buffer.byteLength(bed.body)) };
    const connection = await openRawConnection(url);
    connection.write(Buffer.from(messageOf('POST /beds HTTP/1.1', token, { ...bed.fields, ...length }, bed.body)));
    await sleep(randomInt(5));
    connection.reset();
    await create(bed);
  }

  /** Reads the export. A complete export must have every earlier acknowledged bed once. */
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

/** Creates clients of the garden that check only that each response is well-formed and not a 500. */
export function createHostileClients({ url, token }: ServiceProcess, unreadStreams: number) {
  const kept: Socket[] = [];
  const clients = [
    ...Array<Client>(unreadStreams).fill(leaveUnread),
    ...Array<Client>(10).fill(sendHalf),
    ...Array<Client>(4).fill(uploadSlowly),
    ...[attack, attack, sendWrongToken],
  ];
  const disconnect = (): void => {
    for (const socket of kept.splice(0)) socket.destroy();
  };
  return { clients, disconnect };

  /** Requests the export without reading it. Keeps some connections open until `disconnect`. */
  async function leaveUnread(): Promise<void> {
    const version = randomInt(2) === 0 ? '1.0' : '1.1';
    const socket = await sendUnread(url, messageOf(`GET /export HTTP/${version}`, token, {}));
    await sleep(randomInt(3_000));
    if (kept.length < KEPT_SOCKETS) kept.push(socket);
    else socket.destroy();
  }

  async function attack(): Promise<void> {
    const [, bytes] = HOSTILE_REQUESTS[randomInt(HOSTILE_REQUESTS.length)] ?? ['', ''];
    const connection = await openRawConnection(url);
    connection.write(Buffer.from(bytes.toString('latin1').replaceAll('/guests', '/beds'), 'latin1'));
    await expectAnswers(connection);
  }

  async function sendHalf(): Promise<void> {
    const fields = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID(), 'Content-Length': '16' };
    const message = messageOf('POST /beds HTTP/1.1', token, fields, '{"crop":"beans"}');
    const connection = await openRawConnection(url);
    connection.write(message.slice(0, randomInt(message.length)));
    await leave(connection);
  }

  async function uploadSlowly(): Promise<void> {
    const fields = { 'X-Camera-Key': token, 'Content-Type': 'image/png', 'Content-Length': String(PHOTO_BYTES) };
    const connection = await openRawConnection(url);
    connection.write(messageOf(`PUT ${photoOf(randomInt(1, 5))} HTTP/1.1`, token, { ...fields, Connection: 'close' }));
    for (let pieces = Math.min(randomInt(20), 10); pieces > 0; pieces -= 1) {
      connection.write(Buffer.alloc(PHOTO_BYTES / 10, 'x'));
      await sleep(randomInt(100));
    }
    await leave(connection);
  }

  async function sendWrongToken(): Promise<void> {
    const connection = await openRawConnection(url);
    connection.write(messageOf('GET /export HTTP/1.1', 'wrong', { Connection: 'close' }));
    expect([401, ...REFUSALS]).toContain((await expectAnswers(connection))[0]);
  }

  /** Resets or half-closes a connection, or leaves it open until the service closes it. */
  async function leave(connection: RawConnection): Promise<void> {
    await sleep(randomInt(200));
    const choice = randomInt(3);
    if (choice === 0) {
      connection.reset();
      return;
    }
    if (choice === 1) connection.end();
    await expectAnswers(connection);
  }

  async function expectAnswers(connection: RawConnection): Promise<readonly number[]> {
    const statuses = parseAnswers(await connection.closed()).map(({ status }) => status);
    expect(statuses.filter((status) => status >= 500 && ![501, 503, 505].includes(status))).toEqual([]);
    return statuses;
  }
}

/** Returns the text of a request. */
function messageOf(start: string, token: string, fields: Readonly<Record<string, string>>, body = ''): string {
  const lines = Object.entries({ Host: 'x', Authorization: `Bearer ${token}`, ...fields });
  return `${[start, ...lines.map(([name, value]) => `${name}: ${value}`)].join('\r\n')}\r\n\r\n${body}`;
}

const photoOf = (id: number): string => `/beds/${String(id)}/photo`;
