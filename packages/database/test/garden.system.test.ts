import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { rounds } from '@contract-first/testing/rounds.ts';
import { EXAMPLES, runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { until } from '@contract-first/testing/until.ts';

const CROP = { crop: 'beans', squareMetres: 2 };
const TOKENS = 'first:test-token,second:second-token';
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]);

const folder = join(EXAMPLES, 'garden');

describeStores((createDatabase) => {
  /** Starts the garden, on an empty database by default. */
  async function startGarden(url?: string) {
    const service = await startServiceProcess(
      { DATABASE_URL: url ?? (await createDatabase()), API_TOKENS: TOKENS },
      ['node', 'src/main.ts'],
      folder,
    );
    return { service, send: senderOf(service) };
  }

  function senderOf({ url, token }: ServiceProcess) {
    const usual = { Authorization: `Bearer ${token}`, 'X-Camera-Key': token, 'Content-Type': 'application/json' };
    return async (
      method: string,
      path: string,
      body: RequestInit['body'] = null,
      headers: Record<string, string> = {},
    ) => {
      const response = await fetch(url + path, { method, headers: { ...usual, ...headers }, body });
      const bytes = await response.bytes();
      const type = response.headers.get('content-type') ?? '';
      const text = new TextDecoder().decode(bytes);
      const { status } = response;
      return {
        status,
        headers: response.headers,
        bytes,
        text,
        json: type.endsWith('json') ? (JSON.parse(text) as unknown) : undefined,
      };
    };
  }

  const newBed = (): [string, string, string, Record<string, string>] => [
    ...(['POST', '/beds', JSON.stringify(CROP)] as const),
    { 'Idempotency-Key': randomUUID() },
  ];

  test('a bed is created once per key, read, listed with a cursor, replaced with its ETag, given a photo, and removed', async () => {
    const { send } = await startGarden();
    const creation = newBed();
    const created = await send(...creation);
    expect([created.status, created.json]).toEqual([201, { id: 1, ...CROP }]);
    expect((await send(...creation)).json).toEqual(created.json);
    for (let index = 0; index < 4; index += 1) await send(...newBed());

    const first = (await send('GET', '/beds?limit=3')).json as { beds: { id: number }[]; next: number };
    const second = (await send('GET', `/beds?limit=3&after=${String(first.next)}`)).json as typeof first;
    const ids = [...first.beds, ...second.beds].map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect([first.beds.length, second.beds.length, second.next]).toEqual([3, 2, undefined]);

    const etag = (await send('GET', '/beds/1')).headers.get('etag') ?? '';
    const body = JSON.stringify({ crop: 'peas' });
    expect((await send('PUT', '/beds/1', body)).status).toBe(400); // Without If-Match.
    const replaced = await send('PUT', '/beds/1', body, { 'If-Match': etag });
    expect([replaced.status, replaced.json]).toEqual([200, { id: 1, crop: 'peas', squareMetres: 1 }]);
    expect((await send('PUT', '/beds/1', body, { 'If-Match': etag })).json).toMatchObject({ status: 412 });
    expect((await send('PUT', '/beds/1', body, { 'If-Match': '"2"' })).headers.get('etag')).toBe('"3"');

    expect((await send('DELETE', '/beds/1')).status).toBe(204);
    expect((await send('GET', '/beds/1')).json).toEqual({ status: 404, detail: 'this bed does not exist' });
    expect((await send('PUT', '/beds/1', body, { 'If-Match': '"3"' })).status).toBe(404);

    // A photo of several megabytes, in a request that needs two credentials.
    const photo = new Uint8Array(3_000_000).fill(7);
    const place = `/beds/${String(ids[1])}/photo`;
    const asPng = { 'Content-Type': 'image/png' };
    expect((await send('PUT', place, photo, { ...asPng, 'X-Camera-Key': 'wrong-key' })).status).toBe(401);
    expect((await send('PUT', place, photo, asPng)).status).toBe(204);
    expect((await send('PUT', place, PNG, asPng)).status).toBe(204);
    expect((await send('GET', place)).bytes).toEqual(PNG);
    expect((await send('PUT', '/beds/1/photo', PNG, asPng)).json).toMatchObject({ status: 404 });
    expect((await send('PUT', place, new Uint8Array(4_000_001), asPng)).status).toBe(400);
  });

  test('an Idempotency-Key belongs to one caller and one body: each creation is returned to its caller only', async () => {
    const { service, send } = await startGarden();
    const key = randomUUID();
    const create = (body: object, token: string) =>
      send('POST', '/beds', JSON.stringify(body), { 'Idempotency-Key': key, Authorization: `Bearer ${token}` });
    const created = await create(CROP, service.token);
    expect([created.status, created.json]).toEqual([201, { id: 1, ...CROP }]);
    const others = await create({ crop: 'peas' }, 'second-token');
    expect([others.status, others.json]).toEqual([201, { id: 2, crop: 'peas', squareMetres: 1 }]);
    expect((await create({ crop: 'peas' }, service.token)).json).toMatchObject({ status: 422 });
    // The first response is repeated, although the bed is changed and then removed.
    expect((await send('PUT', '/beds/1', '{"crop":"leeks"}', { 'If-Match': '*' })).status).toBe(200);
    expect((await send('DELETE', '/beds/1')).status).toBe(204);
    const repeated = await create(CROP, service.token);
    expect([repeated.status, repeated.json, repeated.headers.get('etag')]).toEqual([201, { id: 1, ...CROP }, '"1"']);
    expect((await send('GET', '/beds/1')).status).toBe(404);
    const same = await Promise.all([1, 2, 3].map(() => send(...newBed())));
    expect(new Set(same.map(({ status }) => status))).toEqual(new Set([201]));
    const again = newBed();
    const twice = await Promise.all([send(...again), send(...again)]);
    expect(twice.every(({ status }) => [201, 409].includes(status))).toBe(true);
    expect(twice.map(({ json }) => json)).toContainEqual((await send(...again)).json);
  });

  test('if the service is killed while it creates beds, repeated requests create each bed once', async () => {
    const url = await createDatabase();
    const { service, send } = await startGarden(url);
    const creations = Array.from({ length: 60 }, newBed);
    let answered = 0;
    const first = creations.map(async (creation) => {
      const response = await send(...creation).catch(() => undefined);
      answered += 1;
      if (answered === 20) service.process.kill('SIGKILL');
      return response;
    });
    const before = await Promise.all(first);

    const restarted = await startGarden(url);
    const after = await Promise.all(
      creations.map(async (creation) => {
        await until(async () => (await restarted.send(...creation)).status, 201, 60_000);
        return restarted.send(...creation);
      }),
    );
    for (const [index, response] of before.entries())
      expect(response?.status === 201 ? response.json : after[index]?.json).toEqual(after[index]?.json);
    const list = (await restarted.send('GET', '/beds?limit=100')).json as { beds: readonly object[] };
    expect(list.beds).toHaveLength(creations.length);
    expect(new Set(after.map(({ text }) => text)).size).toBe(creations.length);
  });

  test('304 and 412 follow lists of tags, weak tags and *; the media type of the export follows weights', async () => {
    const { send } = await startGarden();
    await send(...newBed());
    const get = async (tags: string) => {
      const { status, headers, text } = await send('GET', '/beds/1', null, { 'If-None-Match': tags });
      return [status, headers.get('etag'), text === ''];
    };
    for (const tags of ['"1"', 'W/"1"', '"7", "1"', '*']) expect(await get(tags)).toEqual([304, '"1"', true]);
    for (const tags of ['"2"', '"11"', '1']) expect(await get(tags)).toEqual([200, '"1"', false]);

    const change = async (method: 'PUT' | 'DELETE', tags: string) =>
      (await send(method, '/beds/1', method === 'PUT' ? '{"crop":"peas"}' : null, { 'If-Match': tags })).status;
    for (const tags of ['"2"', 'W/"1"', '1', '"2", W/"1"']) expect(await change('PUT', tags)).toBe(412);
    expect(await change('PUT', '"7", "1"')).toBe(200);
    expect(await change('PUT', '*')).toBe(200);
    expect(await change('DELETE', '"1"')).toBe(412);
    expect(await change('DELETE', '"3"')).toBe(204);

    const exported = async (accept: string) => {
      const { status, headers } = await send('GET', '/export', null, { Accept: accept });
      return [status, headers.get('content-type'), headers.get('vary')];
    };
    for (const accept of [
      'text/csv;q=1',
      'text/csv, */*;q=0.5',
      'application/jsonl;q=0.1, TEXT/*',
      '*/*, application/jsonl;q=0',
    ])
      expect(await exported(accept)).toEqual([200, 'text/csv', 'Accept']);
    for (const accept of ['*/*', 'application/*, text/csv;q=0.9', 'text/csv;q=0, */*;q=0.1'])
      expect(await exported(accept)).toEqual([200, 'application/jsonl', 'Accept']);
    expect(await exported('image/png')).toEqual([406, 'application/problem+json', 'Accept']);
  });

  test('the export streams every bed, and ends when the client disconnects; the contract checks pass', async () => {
    const { service, send } = await startGarden();
    const beds = Array.from({ length: rounds(200, 900) }, newBed);
    // A busy service rejects some requests with 503. The keys make retries idempotent.
    await Promise.all(beds.map((bed) => until(async () => (await send(...bed)).status, 201, 60_000)));
    const { text } = await send('GET', '/export');
    const lines = text.trimEnd().split('\n');
    expect(lines).toHaveLength(rounds(200, 900));
    expect(JSON.parse(lines[0] ?? '')).toEqual({ id: expect.any(Number), ...CROP });
    expect((await send('GET', '/export', null, { Accept: 'text/csv' })).text).toMatch(
      /^id,crop,squareMetres\r\n\d+,"beans",2\r\n/,
    );

    const headers = { Authorization: `Bearer ${service.token}` };
    for (let round = 0; round < 20; round += 1) {
      const client = request(`${service.url}/export`, { headers }).end();
      const [response] = (await once(client, 'response')) as [Readable];
      await once(response, 'data');
      client.destroy();
    }
    // Each stream uses a connection, so a leak would leave none free.
    await until(async () => (await send('GET', '/export')).status, 200);

    // On a busy machine, the default time limit would end the checks early.
    const args = ['check', '--url', service.url, '--token', service.token, '--runs', '10', '--seed', '1'];
    expect(await runProcess('contract-first', [...args, '--budget', '100'], {}, folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(' 0 failures'),
    });
  }, 180_000);
});
