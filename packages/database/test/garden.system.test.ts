import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import type { Readable } from 'node:stream';
import { copyProjectWithContract } from '@contract-first/testing/project.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { run, startService, type Service } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { until } from '@contract-first/testing/until.ts';

const CROP = { crop: 'beans', squareMetres: 2 };
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0]);

let folder: string;
beforeAll(async () => {
  ({ folder } = copyProjectWithContract('garden'));
  expect(await run('contract-first', ['generate'], {}, folder)).toMatchObject({ code: 0, stderr: '' });
});

describeStores((createDatabase) => {
  /** Starts the garden on an empty database. */
  async function startGarden() {
    const service = await startService({ DATABASE_URL: await createDatabase() }, ['node', 'src/main.ts'], folder);
    return { service, send: senderOf(service) };
  }

  function senderOf({ url, token }: Service) {
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

  test('a bed is created once per key, read, listed by a cursor, replaced by its ETag, given a photo, and removed', async () => {
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
    expect((await send('PUT', '/beds/1', body)).status).toBe(400);
    const replaced = await send('PUT', '/beds/1', body, { 'If-Match': etag });
    expect([replaced.status, replaced.json]).toEqual([200, { id: 1, crop: 'peas', squareMetres: 1 }]);
    expect((await send('PUT', '/beds/1', body, { 'If-Match': etag })).json).toMatchObject({ status: 412 });
    expect((await send('PUT', '/beds/1', body, { 'If-Match': '"2"' })).headers.get('etag')).toBe('"3"');

    expect((await send('DELETE', '/beds/1')).status).toBe(204);
    expect((await send('GET', '/beds/1')).json).toEqual({ status: 404, detail: 'this bed does not exist' });
    expect((await send('PUT', '/beds/1', body, { 'If-Match': '"3"' })).status).toBe(404);

    // A photo of several megabytes, which needs two credentials.
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

  test('the export streams every bed, and ends when its client leaves; the contract checks pass', async () => {
    const { service, send } = await startGarden();
    const beds = Array.from({ length: rounds(200, 900) }, newBed);
    // A busy service refuses some with 503. Their keys let each be stored once.
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
    // Each stream has a connection of its own: a leak would leave none.
    await until(async () => (await send('GET', '/export')).status, 200);

    // On a busy machine, the usual time limit would end the checks early.
    const args = ['check', '--url', service.url, '--token', service.token, '--runs', '10', '--seed', '1'];
    expect(await run('contract-first', [...args, '--budget', '100'], {}, folder)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(' 0 failures'),
    });
  });
});
