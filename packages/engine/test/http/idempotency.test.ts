import { mock } from 'node:test';
import request from 'supertest';
import { HandlerFailure } from '@contract-first/contract';
import type { Application } from '@contract-first/engine';
import type { AnyReply } from '../../src/http/reply/response.ts';
import {
  ConstraintViolated,
  databaseAt,
  openDatabase,
  sql,
  table,
  type BatchDatabase,
  type BatchDefinition,
} from '@contract-first/database';
import { DATABASE_OPTIONS, locationOf } from '@contract-first/testing/database.ts';
import { cleanUp, temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { serveApplication, type Overrides } from '@contract-first/testing/serve-application.ts';
import { until } from '@contract-first/testing/until.ts';
import { describeStores } from '@contract-first/testing/stores.ts';

const DAY_MS = 86_400_000;
const KEY = '8e03978e-40d5-43dd-bc93-6894a57f9324';
const NOTE = '{"text":"a","size":1}';

/** Returns a document whose operation documents the header at its path, by reference. */
const documentWith = ({ title = 'Notes', schema = '{ type: string }', isRequired = false } = {}) => `
openapi: 3.1.0
info: { title: ${title}, version: 1.0.0 }
security: [{ user: [] }]
paths:
  /notes/{shelf}:
    parameters:
      - { name: shelf, in: path, required: true, schema: { type: string } }
      - $ref: '#/components/parameters/key'
    post:
      operationId: addNote
      parameters: [{ name: as, in: query, schema: { type: string, default: json } }]
      requestBody:
        required: true
        content:
          application/json: { schema: { type: object, required: [text], properties: { size: { type: integer, format: int64, default: 1 } } } }
          application/octet-stream: {}
          multipart/form-data: { schema: { type: object, properties: { file: { type: string, format: binary } } } }
      responses:
        '201':
          description: It.
          headers: { Location: { schema: { type: string } } }
          content: { application/json: {}, text/plain: {}, application/octet-stream: {} }
        '204': { description: Nothing. }
        '404': { description: No shelf. }
        '500': { description: No. }
        default: { description: No. }
components:
  securitySchemes: { user: { type: apiKey, in: header, name: X-User } }
  parameters:
    key: { name: IDEMPOTENCY-KEY, in: header, required: ${String(isRequired)}, schema: ${schema} }
`;

type Backend = Awaited<ReturnType<Application['open']>>;
type Row = { readonly text: string };
const TABLE = (key: string) => `CREATE TABLE notes (key ${key} UNIQUE, text text NOT NULL UNIQUE)`;
const DEFINITION: BatchDefinition<Row> = {
  name: 'note shelf',
  tag: 'note',
  tables: ['notes'],
  migrations: { sqlite: [TABLE('blob')], postgres: [TABLE('uuid')] },
  insert: {
    table: 'notes',
    columns: { text: 'text' },
    sqlite: 'INSERT INTO notes (text, key) VALUES (?, ?) ON CONFLICT (key) DO NOTHING',
    postgres: (schema, rows) =>
      `INSERT INTO ${schema}.notes (text, key) SELECT text, key FROM ${rows} ON CONFLICT (key) DO NOTHING RETURNING key`,
  },
};
const notes = table('notes');
const add = (text: string) => sql`INSERT INTO ${notes} (text) VALUES (${text})`;
const listNotes = sql<Row>`SELECT text FROM ${notes} ORDER BY text`;

type Handle = (database: BatchDatabase<Row>, count: number, accepts: Accepts) => Promise<AnyReply>;
type Accepts = (...mediaTypes: readonly string[]) => string;

/** Stores a note with the number of the call, and returns both in the response. */
const store = async (database: BatchDatabase<Row>, count: number): Promise<AnyReply> => {
  await database.write(add(String(count)));
  return { status: 201, headers: { Location: `/notes/${String(count)}` }, body: { count } };
};

type Sent = {
  readonly user?: string;
  readonly path?: string;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Serves the document with a handler on a store. */
async function serve(
  url: string,
  handle: Handle = store,
  given: Parameters<typeof documentWith>[0] & Pick<Overrides, 'handlerTimeoutMs'> = {},
) {
  const database = await openDatabase(locationOf(url), DEFINITION, { ...DATABASE_OPTIONS, once: true });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= database.close());
  cleanUp(close);
  let count = 0;
  const addNote = ({ accepts }: { readonly accepts: Accepts }) => handle(database, (count += 1), accepts);
  const { app, logged } = await serveApplication(
    {
      contract: await contractOf(documentWith(given)),
      failures: {},
      database: databaseAt('sqlite:./data/notes.db'),
      open: () =>
        Promise.resolve({ handlers: { addNote }, checkers: {}, once: database.once, check: database.check, close }),
    },
    {
      handlerTimeoutMs: given.handlerTimeoutMs ?? 0,
      checkers: {
        user: ({ header }) => {
          const name = header('X-User');
          return name === undefined || name === '' ? undefined : { name };
        },
      },
    },
  );
  const send = async (key: string | string[] | undefined, sent: Sent = {}) => {
    const { user = 'ann', path = '/notes/1', type = 'application/json', body = NOTE, headers: others = {} } = sent;
    const response = await request(app)
      .post(path)
      .set({ 'X-User': user, 'Content-Type': type, ...others })
      .set(key === undefined ? {} : { 'Idempotency-Key': key }) // Several fields for a list.
      .serialize((value: unknown) => value as string)
      .buffer()
      .parse(collect)
      .send(body as string);
    const { status, headers } = response;
    const text = String(response.body);
    const {
      location,
      vary,
      'content-type': contentType,
      'retry-after': retryAfter,
    } = headers as Record<string, string>;
    return { status, location, vary, contentType, retryAfter, text };
  };
  const stored = async () => (await database.read(listNotes)).map(({ text }) => text);
  return { send, stored, logged, database, close, calls: () => count };
}

function collect(res: NodeJS.EventEmitter, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  res.on('data', (chunk: Buffer) => chunks.push(chunk));
  res.on('end', () => {
    done(null, Buffer.concat(chunks));
  });
}

const form = (boundary: string, bytes: string): Sent => ({
  type: `multipart/form-data; boundary=${boundary}`,
  body: `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${bytes}\r\n--${boundary}--\r\n`,
});

describeStores((createDatabase) => {
  test.each<[string, object]>([
    ['JSON', { contentType: 'application/json', body: { text: 'é' } }],
    ['text', { contentType: 'text/plain', body: 'a\0\ud83d\ude00' }],
    ['bytes', { contentType: 'application/octet-stream', body: Uint8Array.of(0, 255) }],
    ['a Blob', { contentType: 'application/octet-stream', body: new Blob(['abc']) }],
    ['a stream', { contentType: 'text/plain', body: ['a', 'b'] }],
    ['no body', { status: 204 }],
  ])(
    'the first response is repeated, also after a restart: %s',
    async (kind, { body, ...reply }: { body?: unknown }) => {
      const url = await createDatabase();
      const handle: Handle = async (database, count) => ({
        ...(await store(database, count)),
        ...reply,
        body: kind === 'a stream' ? new Blob(body as string[]).stream() : body,
      });
      const { send, stored, close } = await serve(url, handle);
      const first = await send(KEY);
      expect([first.status, first.location]).toEqual(['status' in reply ? 204 : 201, '/notes/1']);
      expect(await send(KEY)).toEqual(first);
      expect(await stored()).toEqual(['1']);
      await close();
      const restarted = await serve(url, store, { title: 'Renamed' });
      expect(await restarted.send(KEY)).toEqual(first);
      expect(restarted.calls()).toBe(0);
    },
  );

  test('a key belongs to one caller; without a key, each request is handled', async () => {
    const { send, stored } = await serve(await createDatabase());
    expect((await send(KEY)).text).toBe('{"count":1}');
    expect((await send(KEY, { user: 'bea' })).text).toBe('{"count":2}');
    expect((await send(KEY, { user: '' })).status).toBe(401);
    expect((await send(undefined)).text).toBe('{"count":3}');
    expect((await send(undefined)).text).toBe('{"count":4}');
    expect((await send(KEY)).text).toBe('{"count":1}');
    expect(await stored()).toEqual(['1', '2', '3', '4']);
  });

  test('422 for another request with the key: its path, query or body differs in value', async () => {
    const { send, calls } = await serve(await createDatabase());
    const same = async (first: Sent, second: Sent) => {
      const key = String(Math.random());
      expect((await send(key, first)).status).toBe(201);
      return (await send(key, second)).status;
    };
    for (const [first, second] of [
      [{ body: NOTE }, { body: '{ "size": 1e0, "text": "a" }', headers: { traceparent: 'other' } }],
      [{ body: '{"text":"a"}' }, { type: 'application/json; charset=utf-8', body: '{"text": "\\u0061"}' }],
      [form('b', 'png'), form('c', 'png')],
      [{ path: '/notes/%31' }, { path: '/notes/1' }],
      [{ body: '{"text":[1.0,1e2,-0]}' }, { body: '{"text":[1.0000000000000000,100,0]}' }],
      [{ body: '{"text":9007199254740993}' }, { body: '{"text":9007199254740993.0}' }],
    ] as const)
      expect(await same(first, second)).toBe(201);
    const before = calls();
    const other: readonly (readonly [Sent, Sent])[] = [
      [{ body: NOTE }, { body: '{"text":"b","size":1}' }],
      [{ body: NOTE }, { path: '/notes/2' }],
      [{ body: NOTE }, { path: '/notes/1?as=xml' }],
      [{ body: '{"text":"a","size":9007199254740992}' }, { body: '{"text":"a","size":9007199254740993}' }],
      [{ body: '{"text":["a","b"]}' }, { body: '{"text":["b","a"]}' }],
      [{ body: '{"text":"1"}' }, { body: '{"text":1}' }],
      [form('b', 'png'), form('b', 'gif')],
      [
        { type: 'application/octet-stream', body: 'a' },
        { type: 'application/octet-stream', body: 'b' },
      ],
      [{ type: 'application/octet-stream', body: NOTE }, { body: NOTE }],
    ];
    for (const [first, second] of other) expect(await same(first, second)).toBe(422);
    expect(calls() - before).toBe(other.length);
  });

  test.each([
    ['{ type: string, format: uuid }', KEY],
    ['{ type: string, minLength: 36, maxLength: 36 }', KEY],
    ['{ type: string }', KEY],
    [`{ type: string, pattern: '^"' }`, `"${KEY}"`],
  ])('a key may have quotes, unless the document forbids it: %s', async (schema, first) => {
    const { send, stored } = await serve(await createDatabase(), store, { schema });
    expect((await send(first)).status).toBe(201);
    for (const key of [first, `"${KEY}"`, `"${KEY}";a=1`, ` "${KEY}" `]) expect((await send(key)).status).toBe(201);
    expect(await stored()).toEqual(['1']);
    expect((await send('"b"')).status).toBe(schema === '{ type: string }' || schema.includes('pattern') ? 201 : 400);
  });

  test('400 for a key that is empty, or missing where it is required; a later valid request is handled', async () => {
    const { send, calls } = await serve(await createDatabase(), store, { isRequired: true });
    for (const key of [undefined, '""']) expect([key, (await send(key)).status]).toEqual([key, 400]);
    expect((await send(KEY, { body: '{}' })).status).toBe(400);
    expect(calls()).toBe(0);
    for (const key of [KEY, 'x'.repeat(256), `"${'\\"'.repeat(256)}"`]) expect((await send(key)).status).toBe(201);
  });

  test('400 for several keys', async () => {
    const { send, calls } = await serve(await createDatabase());
    expect((await send([KEY, KEY])).status).toBe(400);
    expect(calls()).toBe(0);
  });

  test('a repeated response depends on the same headers as the first', async () => {
    const { send } = await serve(await createDatabase(), async (_database, count, accepts) => {
      const contentType = accepts('application/json', 'text/plain');
      return { status: 201, contentType, body: String(count) };
    });
    const headers = { Accept: 'text/plain' };
    const first = await send(KEY, { headers });
    expect(first).toMatchObject({ status: 201, contentType: 'text/plain', vary: 'Accept', text: '1' });
    expect(await send(KEY, { headers })).toEqual(first);
  });

  test('409 while the first request is in progress, then its response', async () => {
    const url = await createDatabase();
    const started = Promise.withResolvers<undefined>();
    const gate = Promise.withResolvers<undefined>();
    const other = await serve(url);
    const { send, stored } = await serve(url, async (database, count) => {
      started.resolve(undefined);
      const reply = await store(database, count);
      await gate.promise;
      return reply;
    });
    const first = send(KEY);
    await started.promise;
    expect(await send(KEY)).toMatchObject({ status: 409, retryAfter: '1' });
    expect((await send(KEY, { body: '{"text":"other"}' })).status).toBe(409);
    // On SQLite, another process waits for the end of the transaction.
    if (url.startsWith('postgres')) expect((await other.send(KEY)).status).toBe(409);
    gate.resolve(undefined);
    expect((await first).status).toBe(201);
    expect(await send(KEY)).toEqual(await first);
    expect(await other.send(KEY)).toEqual(await first);
    expect(await stored()).toEqual(['1']);
  });

  test('503 at the time limit of the handler; when it has replied, its response is sent to a repeated request', async () => {
    const gate = Promise.withResolvers<undefined>();
    const handle: Handle = async (database, count) => {
      await gate.promise;
      return store(database, count);
    };
    const { send, stored } = await serve(await createDatabase(), handle, { handlerTimeoutMs: 100 });
    expect((await send(KEY)).status).toBe(503);
    expect((await send(KEY)).status).toBe(409);
    gate.resolve(undefined);
    await until(async () => (await send(KEY)).text, '{"count":1}');
    expect(await stored()).toEqual(['1']);
  });

  test('two processes on one database create once, and repeat the same response', async () => {
    const url = await createDatabase();
    const [one, other] = [await serve(url), await serve(url, async (database) => store(database, 2))];
    const sent = await Promise.all([1, 2, 3].flatMap(() => [one.send(KEY), other.send(KEY)]));
    const created = sent.filter(({ status }) => status === 201).map(({ text }) => text);
    expect(sent.every(({ status }) => [201, 409].includes(status))).toBe(true);
    const again = [await one.send(KEY), await other.send(KEY)].map(({ text }) => text);
    expect(new Set([...created, ...again]).size).toBe(1);
    expect(await one.stored()).toHaveLength(1);
  });

  test('handlers of different keys whose reads and writes conflict run again, as if one after the other', async () => {
    const { send, stored } = await serve(await createDatabase(), async (database) => {
      const count = (await database.read(listNotes)).length;
      await database.write(add(String(count)));
      return { status: 201, body: { count } };
    });
    const sent = await Promise.all([0, 1, 2, 3, 4].map((key) => send(String(key))));
    expect(sent.map(({ text }) => text).toSorted()).toEqual(
      [0, 1, 2, 3, 4].map((count) => `{"count":${String(count)}}`),
    );
    expect(await stored()).toHaveLength(5);
  });

  test.each<[string, () => Promise<AnyReply>]>([
    ['a 500', async () => ({ status: 500 })],
    ['an error', () => Promise.reject(new Error('a bug'))],
    ['a reply that is not documented', async () => ({ status: 201, body: new Date(NaN), contentType: 'a/b' })],
    [
      'a body of over a megabyte',
      async () => ({ status: 201, contentType: 'text/plain', body: 'x'.repeat(1_048_577) }),
    ],
  ])('writes of a handler are undone and its response is not kept: %s', async (_name, reply) => {
    const { send, stored } = await serve(await createDatabase(), async (database, count) => {
      const created = await store(database, count);
      await database.transaction(({ write }) => write(add('more')));
      return count === 1 ? reply() : created;
    });
    expect((await send(KEY)).status).toBe(500);
    expect(await stored()).toEqual([]);
    expect((await send(KEY)).text).toBe('{"count":2}');
    expect(await stored()).toEqual(['2', 'more']);
  });

  test('a failure of the client is kept with the writes of the handler; a failed part of them is undone', async () => {
    const { send, stored, calls } = await serve(await createDatabase(), async (database) => {
      await database.write(add('a'));
      const violations = await Promise.allSettled([
        database.write(add('b'), add('a')),
        database.transaction(async ({ write }) => {
          await write(add('c'));
          throw new Error('undone');
        }),
        database.transaction(async ({ write }) => {
          await expect(database.write(add('d'))).rejects.toThrow('would not be part of the transaction');
          await write(add('e'));
        }),
        database.insert({ text: 'f' }),
        database.insert({ text: 'f2' }, KEY),
        database.insert({ text: 'f3' }, KEY),
        database.read(sql`SELEKT`),
        database.read(listNotes),
        database.once?.('another', () => Promise.resolve('')),
      ]);
      expect(violations.map((each) => (each.status === 'fulfilled' ? each.value : (each.reason as Error)))).toEqual([
        expect.any(ConstraintViolated),
        new Error('undone'),
        undefined,
        true,
        true,
        false,
        expect.any(Error),
        ['a', 'e', 'f', 'f2'].map((text) => ({ text })),
        new Error('`once` must not be called within a transaction'),
      ]);
      void database.write(add('g'));
      throw new HandlerFailure({ status: 404 });
    });
    expect((await send(KEY)).status).toBe(404);
    expect((await send(KEY)).status).toBe(404);
    expect(calls()).toBe(1);
    expect(await stored()).toEqual(['a', 'e', 'f', 'f2', 'g']);
  });

  test('a key is forgotten after a day', async () => {
    const { send, stored, database } = await serve(await createDatabase());
    await send(KEY);
    await send('other');
    mock.timers.enable({ apis: ['Date'], now: Date.now() + DAY_MS - 60_000 });
    cleanUp(() => {
      mock.timers.reset();
    });
    expect((await send(KEY)).text).toBe('{"count":1}');
    mock.timers.setTime(Date.now() + 120_000);
    expect((await send(KEY, { body: '{"text":"other"}' })).text).toBe('{"count":3}');
    expect(await stored()).toEqual(['1', '2', '3']);
    await database.check(); // Expired keys are removed by an earlier write.
    const kept = await database.read(
      sql<{ readonly count: bigint }>`SELECT count(*) AS count FROM ${table('note_shelf_once')}`,
    );
    expect(kept).toEqual([{ count: 1n }]);
  });
});

test('a statement that ends the transaction of SQLite undoes all writes of the handler, and its error is logged: 500', async () => {
  const { send, stored, logged } = await serve(temporaryDatabase(), async (database) => {
    await database.write(add('a'));
    await database.write(sql`INSERT OR ROLLBACK INTO notes (text) VALUES ('a')`).catch(() => undefined);
    await database.write(add('b'));
    return { status: 204 };
  });
  expect((await send(KEY)).status).toBe(500);
  expect(JSON.stringify(logged)).toContain('UNIQUE constraint failed: notes.text');
  expect(await stored()).toEqual([]);
});

describe('without a store', () => {
  const documentOfKey = (method: string, statuses: readonly string[]) => {
    const failures = statuses.map((status) => `, '${status}': { description: No. }`).join('');
    const operation = `
parameters: [{ name: Idempotency-Key, in: header, schema: { type: string } }]
responses: { '204': { description: Done. }${failures} }`;
    return documentOf('/a', method, operation);
  };
  const nothing = () => Promise.resolve();
  const start = async (
    once: Backend['once'],
    method = 'post',
    production = false,
    statuses: readonly string[] = [],
  ) => {
    const open = () => Promise.resolve({ handlers: { op }, checkers: {}, once, check: nothing, close: nothing });
    const contract = await contractOf(documentOfKey(method, statuses));
    return serveApplication({ contract, failures: {}, database: databaseAt('sqlite:a.db'), open }, { production });
  };
  const op = async () => ({ status: 204 });

  test('an application without `once` does not start in production, and answers requests with a key 501', async () => {
    await expect(start(undefined, 'post', true)).rejects.toThrow('for the header Idempotency-Key of op');
    const { app } = await start(undefined);
    await request(app).post('/a').set('Idempotency-Key', 'a').expect(501);
    await request(app).post('/a').expect(204);
  });

  test.each([
    [['409', '422', '503'], 409, 422],
    [['400', '503'], 503, 400],
    [['400', '503', 'default'], 409, 400],
    [['404'], 409, 422],
  ])(
    'the failures of a key have the status that the document has: of %j, %i and %i',
    async (documented, running, other) => {
      const earlier = JSON.stringify({ fingerprint: 'other', status: 204, headers: {} });
      const once = (result: string | undefined) => async () => result;
      for (const [result, expected] of [
        [undefined, running],
        [earlier, other],
      ] as const) {
        const { app } = await start(once(result), 'post', false, documented);
        await request(app).post('/a').set('Idempotency-Key', 'a').expect(expected);
      }
    },
  );

  test.each([
    ['the handlers implement the header', 'handlers', 'post'],
    ['the method changes nothing', undefined, 'get'],
  ] as const)('the engine ignores the key: %s', async (_name, once, method) => {
    const { app } = await start(once, method, true);
    await request(app)[method]('/a').set('Idempotency-Key', '').expect(204);
    await request(app)[method]('/a').set('Idempotency-Key', 'x'.repeat(300)).expect(204);
  });
});
