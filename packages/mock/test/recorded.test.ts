import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startMock, type MockOptions } from '../src/start-mock.ts';

const thing = {
  type: 'object',
  required: ['name'],
  properties: { id: { type: 'integer' }, name: { const: 'mocked' } },
};
const json = { 'application/json': { schema: thing } };
const done = { description: 'Done', content: json };
const sent = { required: true, content: { 'application/json': { schema: { type: 'object' } } } };
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0' },
  security: [],
  paths: {
    '/things': {
      post: { operationId: 'createThing', requestBody: sent, responses: { '201': done } },
      get: {
        operationId: 'findThing',
        parameters: [{ name: 'name', in: 'query', schema: { type: 'string' } }],
        responses: { '200': done },
      },
    },
  },
};

async function start(options: MockOptions): Promise<(path: string, request?: RequestInit) => Promise<unknown>> {
  const path = join(temporaryFolder(), 'openapi.json');
  writeFileSync(path, JSON.stringify(DOCUMENT));
  const mock = await startMock(path, { stateless: true, ...options });
  cleanUp(mock.close);
  return async (target, request) => {
    const response = await fetch(mock.url + target, request);
    const { name } = (await response.json()) as { readonly name?: unknown };
    return `${String(response.status)} ${String(name)} ${response.headers.get('x-from') ?? 'mock'}`;
  };
}

const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: 'http://page.example' },
  body: JSON.stringify(body),
});

/** Writes an HTTP archive with requests to `/things`. */
function archive(...entries: readonly (readonly [target: string, body: object | undefined, name: string])[]): string {
  const path = join(temporaryFolder(), 'recorded.har');
  const log = entries.map(([target, body, name]) => ({
    startedDateTime: '2026-01-01T00:00:00Z',
    request: {
      method: body === undefined ? 'GET' : 'POST',
      url: `https://service.example${target}`,
      headers: [],
      ...(body !== undefined && { postData: { mimeType: 'application/json', text: JSON.stringify(body) } }),
    },
    response: {
      status: body === undefined ? 200 : 201,
      headers: ['Content-Type: application/json', 'Content-Encoding: gzip', 'X-From: archive'].map((line) => {
        const [header = '', value = ''] = line.split(': ');
        return { name: header, value };
      }),
      content: { text: JSON.stringify({ name }) },
    },
  }));
  writeFileSync(path, JSON.stringify({ log: { entries: log } }));
  return path;
}

test('recorded requests get the recorded responses in order, and other requests get responses of the mock', async () => {
  const replay = archive(
    ['/things?name=a', undefined, 'one'],
    ['/things?name=a', undefined, 'two'],
    ['/things', { size: 1, color: 'red' }, 'three'],
  );
  const send = await start({ replay });
  expect([
    ...[await send('/things?name=a'), await send('/things?name=a'), await send('/things?name=a')],
    ...[await send('/things', post({ color: 'red', size: 1 })), await send('/things', post({ color: 'blue' }))],
    await send('/things?name=b'),
  ]).toEqual([
    ...['200 one archive', '200 two archive', '200 two archive'],
    ...['201 three archive', '201 mocked mock', '200 mocked mock'],
  ]);
});

test('requests are forwarded to a service, and the mock answers the operations that the service lacks', async () => {
  const bodies: string[] = [];
  const answer: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks).toString());
      const status = request.method === 'GET' ? 200 : 501;
      response.writeHead(status, { 'x-from': 'service' }).end(JSON.stringify({ name: 'real' }));
    });
  };
  const service = createServer(answer);
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const send = await start({ proxy: `http://127.0.0.1:${String((service.address() as AddressInfo).port)}` }); // Not a pipe.
  expect([await send('/things'), await send('/things', post({ a: 'b' }))]).toEqual([
    '200 real service',
    '201 mocked mock',
  ]);
  expect(bodies).toEqual(['', '{"a":"b"}']);
  service.close();
  service.closeAllConnections();
  expect(await send('/things')).toBe('200 mocked mock');
});

test('pages of other origins may read recorded responses', async () => {
  const path = join(temporaryFolder(), 'openapi.json');
  writeFileSync(path, JSON.stringify(DOCUMENT));
  const mock = await startMock(path, { replay: archive(['/things', {}, 'one']) });
  cleanUp(mock.close);
  const { headers } = await fetch(`${mock.url}/things`, post({}));
  expect(headers.get('access-control-allow-origin')).toBe('http://page.example');
  expect(headers.get('access-control-expose-headers')).toContain('x-from');
});

test.each([
  [{ replay: 'none.har' }, /^replay: none\.har cannot be read: ENOENT/],
  [{ proxy: 'http://127.0.0.1/v1' }, /^proxy must be the scheme, host and port of a service/],
])('wrong options are refused: %j', async (options, message) => {
  await expect(start(options)).rejects.toThrow(message);
});
