import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request as sendRequest, type RequestListener } from 'node:http';
import { createServer as createSecure } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { mock } from 'node:test';
import { text } from 'node:stream/consumers';
import { makeCertificates } from '@contract-first/testing/certificates.ts';
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
  const running = await startMock(path, { stateless: true, ...options });
  cleanUp(running.close);
  return async (target, request) => {
    const response = await fetch(running.url + target, request);
    const { name } = (await response.json()) as { readonly name?: unknown };
    return `${String(response.status)} ${String(name)} ${response.headers.get('x-from') ?? 'mock'}`;
  };
}

const post = (body: object) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', origin: 'http://page.example' },
  body: JSON.stringify(body),
});

const HEADERS = ['Content-Type: application/json', 'Content-Encoding: gzip', 'X-From: archive'];
const STATUSES: Readonly<Record<string, number>> = { early: 101, low: 99, high: 1_000 };

/** A form with one field. */
const formOf = (boundary: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n--${boundary}--\r\n`;
const formType = (boundary: string): string => `multipart/form-data; boundary=${boundary}`;

/** Writes an HTTP archive with requests to `/things`. A text is a form with the boundary `one`. */
function archive(
  ...entries: readonly (readonly [target: string, body: object | string | undefined, name: string])[]
): string {
  const path = join(temporaryFolder(), 'recorded.har');
  const log = entries.map(([target, body, name]) => ({
    startedDateTime: '2026-01-01T00:00:00Z',
    request: {
      method: body === undefined ? 'GET' : 'POST',
      url: target.startsWith('/') ? `https://service.example${target}` : target,
      headers: typeof body === 'string' ? [{ name: 'Content-Type', value: formType('one') }] : [],
      ...(body !== undefined && {
        postData: { mimeType: 'any', text: typeof body === 'string' ? body : JSON.stringify(body) },
      }),
    },
    response: {
      status: STATUSES[name] ?? (body === undefined ? 200 : 201),
      headers: [...HEADERS, 'X-Note: ☃', 'X-Other: a\r\nX-From: b', 'X Bad: a'].map((line) => {
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
    ['/things', formOf('one'), 'four'],
  );
  const form = { method: 'POST', headers: { 'content-type': formType('two') }, body: formOf('two') };
  const send = await start({ replay });
  expect([
    ...[await send('/things?name=a'), await send('/things?name=a'), await send('/things?name=a')],
    ...[await send('/things', post({ color: 'red', size: 1 })), await send('/things', post({ color: 'blue' }))],
    ...[await send('/things', form), await send('/things?name=b')],
  ]).toEqual([
    ...['200 one archive', '200 two archive', '200 two archive'],
    ...['201 three archive', '201 mocked mock', '201 four archive', '200 mocked mock'],
  ]);
});

test('recorded requests and responses that HTTP does not allow are ignored', async () => {
  const replay = archive(
    ...['early', 'low', 'high'].map((name) => [`/things?name=${name}`, undefined, name] as const),
    ['https://[::1', undefined, 'not a URL'],
    ['//things', undefined, 'two slashes'],
    ['/', undefined, 'root'],
  );
  const send = await start({ replay });
  for (const name of ['early', 'low', 'high']) expect(await send(`/things?name=${name}`)).toBe('200 mocked mock');
  expect([await send('//things'), await send('//'), await send('//[')]).toEqual([
    '200 two slashes archive',
    ...['404 undefined mock', '404 undefined mock'],
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
  const send = await start({ proxy: `http://127.0.0.1:${await listen(service)}` });
  expect([await send('/things'), await send('/things', post({ a: 'b' }))]).toEqual([
    '200 real service',
    '201 mocked mock',
  ]);
  expect(bodies).toEqual(['', '{"a":"b"}']);
  service.close();
  service.closeAllConnections();
  expect(await send('/things')).toBe('200 mocked mock');
});

/** Starts a service on a free port of this machine. Returns the port. */
async function listen(server: ReturnType<typeof createServer>): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => {
    server.close();
    server.closeAllConnections();
  });
  return String((server.address() as AddressInfo).port); // Not a pipe.
}

test('headers that Connection lists are not forwarded, in both directions', async () => {
  const received: string[] = [];
  const port = await listen(
    createServer((request, response) => {
      received.push(...Object.keys(request.headers));
      response.writeHead(200, { connection: 'x-hop', 'x-hop': '1', 'x-end': '1' }).end('{}');
    }),
  );
  const path = join(temporaryFolder(), 'openapi.json');
  writeFileSync(path, JSON.stringify(DOCUMENT));
  const running = await startMock(path, { stateless: true, proxy: `http://127.0.0.1:${port}` });
  cleanUp(running.close);
  const headers = { connection: 'close, x-one', 'x-one': '1', 'x-two': '1' };
  const outgoing = sendRequest(`${running.url}/things`, { headers }).end();
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage]; // By `request`.
  expect(Object.keys(response.headers)).toContain('x-end');
  expect(Object.keys(response.headers)).not.toContain('x-hop');
  expect(received).toContain('x-two');
  expect(received).not.toContain('x-one');
});

/** Starts a mock that forwards requests to a service. */
async function startBefore(service: RequestListener): Promise<string> {
  const port = await listen(createServer(service));
  const path = join(temporaryFolder(), 'openapi.json');
  writeFileSync(path, JSON.stringify(DOCUMENT));
  const running = await startMock(path, { proxy: `http://127.0.0.1:${port}` });
  cleanUp(running.close);
  return `${running.url}/things`;
}

test('events of a service arrive while it sends them, until the client disconnects', async () => {
  const disconnected = Promise.withResolvers<undefined>();
  const url = await startBefore((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: 1\n\n');
    response.on('close', () => {
      disconnected.resolve(undefined);
    });
  });
  const client = new AbortController();
  const { body } = await fetch(url, { signal: client.signal });
  const read = await body?.pipeThrough(new TextDecoderStream()).getReader().read();
  expect(read?.value).toBe('data: 1\n\n');
  client.abort();
  await disconnected.promise;
});

test('a response that the service cuts off is cut off for the client', async () => {
  const url = await startBefore((_request, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('{', () => response.destroy());
  });
  const response = await fetch(url);
  expect(response.headers.get('content-length')).toBe('100');
  await expect(response.text()).rejects.toThrow();
});

test.each(['http://', 'HTTP://', '//'])('a redirect within the service leads to the mock: %s', async (start) => {
  const url = await startBefore(({ headers: { host = '' } }, response) => {
    response.writeHead(302, { location: `${start}${host}/things?name=a` }).end();
  });
  const { headers } = await fetch(url, { redirect: 'manual' });
  expect(headers.get('location')).toBe('/things?name=a');
});

test.each([
  ['with Content-Length', (body: string) => ({ body, headers: { 'content-type': 'application/json' } })],
  [
    'in chunks',
    (body: string) => ({
      body: new Blob([body]).stream(),
      duplex: 'half' as const,
      headers: { 'content-type': 'application/json' },
    }),
  ],
])('a body that is longer than the limit is refused and not forwarded: %s', async (_name, requestOf) => {
  const bodies: string[] = [];
  const port = await listen(
    createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        response.end('{}');
      });
    }),
  );
  const send = await start({ proxy: `http://127.0.0.1:${port}`, variables: { BODY_LIMIT_BYTES: '100' } });
  const body = (length: number) => requestOf(JSON.stringify({ a: 'b'.repeat(length) }));
  expect(await send('/things', { method: 'POST', ...body(10) })).toMatch(/^200 /);
  expect(await send('/things', { method: 'POST', ...body(200) })).toMatch(/^413 /);
  expect(bodies).toHaveLength(1);
});

test('a service with an own authority gets requests with ca; otherwise the reason is printed once', async () => {
  const { root, certificate, key } = makeCertificates();
  const pem = { cert: readFileSync(certificate), key: readFileSync(key) };
  const port = await listen(createSecure(pem, (_request, response) => response.end('{"name":"real"}')));
  const proxy = `https://localhost:${port}`;
  expect(await (await start({ proxy, ca: root }))('/things')).toBe('200 real mock');
  const printed = mock.method(process.stderr, 'write', () => true);
  const send = await start({ proxy });
  expect([await send('/things'), await send('/things')]).toEqual(['200 mocked mock', '200 mocked mock']);
  const lines = printed.mock.calls.map(({ arguments: [line] }) => String(line));
  printed.mock.restore();
  expect(lines).toEqual([expect.stringMatching(/^--proxy: https:\/\/localhost:\d+: its certificate is not trusted/)]);
});

test('pages of other origins may read recorded responses, unless CORS_ORIGINS lists others', async () => {
  const path = join(temporaryFolder(), 'openapi.json');
  writeFileSync(path, JSON.stringify(DOCUMENT));
  const replay = archive(['/things', {}, 'one']);
  const answered = async (variables: Readonly<Record<string, string>>): Promise<Headers> => {
    const running = await startMock(path, { replay, variables });
    cleanUp(running.close);
    return (await fetch(`${running.url}/things`, post({}))).headers;
  };
  const headers = await answered({});
  expect(headers.get('access-control-allow-origin')).toBe('http://page.example');
  expect(headers.get('access-control-expose-headers')).toContain('x-from');
  const ofOthers = await answered({ CORS_ORIGINS: 'http://other.example' });
  expect(ofOthers.get('access-control-allow-origin')).toBeNull();
});

test.each([
  [{ replay: 'none.har' }, /^replay: none\.har cannot be read: ENOENT/],
  [{ proxy: 'http://127.0.0.1/v1' }, /^proxy must be the scheme, host and port of a service/],
])('wrong options are refused: %j', async (options, message) => {
  await expect(start(options)).rejects.toThrow(message);
});
