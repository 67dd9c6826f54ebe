import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import type { ContractOptions } from '../src/run/contract-options.ts';
import { checkContract } from '../src/contract-run.ts';
import { formatResult } from '../src/reports/text.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { replaceClock } from './support/clock.ts';
import { shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN, type Defect, type ServerRequest } from './support/reference-server.ts';

type Responses = Readonly<Record<string, object>>;
const done = { description: 'Done.' };

/** Returns a document with the operation `createThing`: POST /things with an object that has a name. */
const documentOf = (responses: Responses, more: object = {}) => ({
  openapi: '3.1.0',
  info: { title: 'Things', version: '1.0.0' },
  security: [],
  paths: { '/things': { post: { operationId: 'createThing', requestBody: BODY, responses }, ...more } },
});
const BODY = {
  required: true,
  content: {
    'application/json': {
      schema: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' } },
        additionalProperties: false,
      },
    },
  },
};

/** Checks a server that validates things. `handle` returns the status for a valid thing. */
async function checkThings(
  responses: Responses,
  handle: (name: string, request: ServerRequest) => number,
  options: Partial<ContractOptions> = {},
) {
  const baseUrl = await startReferenceServer((request) => {
    const { method, body, headers } = request;
    const answer = (status: number) => ({ status, headers: { Allow: 'POST' }, body: '' });
    if (method !== 'POST') return answer(405);
    if (!/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')) return answer(415);
    try {
      const thing = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)) as object;
      const [[key, name] = [], ...others] = Object.entries(thing);
      const isThing = !Array.isArray(thing) && key === 'name' && typeof name === 'string' && others.length === 0;
      return answer(isThing ? handle(name, request) : 400);
    } catch {
      return answer(400);
    }
  });
  const document = documentOf(responses);
  return checkContract({ document, baseUrl, seed: 1, runs: 30, budgetMs: 120_000, ...options });
}

/** Returns a function that accepts each name once, and answers repeated names with 409. */
function createNames(): (name: string) => number {
  const names = new Set<string>();
  return (name) => (names.has(name) ? 409 : (names.add(name), 201));
}

test('rejecting valid data with a documented 409 is not a failure', async () => {
  const { failures, notes } = await checkThings({ 201: done, 409: done }, createNames());
  expect(failures).toEqual([]);
  expect(notes).toEqual(['createThing: responds 400 and 415, which the document does not describe']);
});

test('rejecting all valid data with documented statuses is noted', async () => {
  const { failures, notes } = await checkThings({ 201: done, 404: done, 410: done }, (name) =>
    name.length % 2 === 0 ? 404 : 410,
  );
  expect(failures).toEqual([]);
  expect(notes).toContain('createThing: no valid request was successful: they got 404 and 410');
});

test('rejecting valid data with an undocumented status is a failure', async () => {
  const { failures } = await checkThings({ 201: done }, () => 409);
  expect(failures.map(({ check }) => check)).toContain('positive_data_acceptance');
});

test.each([401, 403, 422])('rejecting some valid data with a documented %i is noted', async (status) => {
  const { failures, notes } = await checkThings({ 201: done, [status]: done }, (name) =>
    name.length % 2 === 0 ? status : 201,
  );
  expect(failures).toEqual([]);
  expect(notes).toContain(`createThing: valid data got ${String(status)} as documented, by a rule that no schema has`);
});

test.each([400, 406, 413, 414, 415, 431])(
  'rejecting valid data with a documented %i is a failure, unless it is expected',
  async (status) => {
    const responses = { 201: done, [status]: done };
    const { failures } = await checkThings(responses, () => status);
    expect(failures.map(({ check, message }) => [check, message])).toEqual([
      ['positive_data_acceptance', `valid data got status ${String(status)}`],
    ]);
    for (const operation of [undefined, 'createThing', 'POST /th*']) {
      const expectations = [{ operation, statuses: [status] }];
      expect((await checkThings(responses, () => status, { expectations })).failures).toEqual([]);
    }
    const expectations = [{ operation: undefined, statuses: [499] }];
    expect((await checkThings(responses, () => status, { expectations })).failures).toHaveLength(1);
  },
);

test('creations are not repeated, since servers may reject duplicates', async () => {
  const creations: string[] = [];
  await checkThings({ 201: done }, (_name, { url, headers, body }) => {
    creations.push(JSON.stringify([url, headers, body.toString()]));
    return 201;
  });
  expect(creations.length).toBeGreaterThan(30);
  // One request differs only in lower-case header names, which the server cannot distinguish.
  expect(new Set(creations).size).toBe(creations.length - 1);
});

const options = { baseUrl: 'http://server', redactor: undefined, repeatLine: () => 'again' };

test('the evidence of an intermittent failure is the first response', async () => {
  let count = 0;
  const result = await checkThings({ 201: done, 503: done }, () => ((count += 1) === 7 ? 503 : 201));
  expect(result.failures).toMatchObject([
    {
      check: 'not_a_server_error',
      message: expect.stringMatching(/^the status is 503 for valid data/),
      response: { status: 503 },
      passedWith: 201,
    },
  ]);
  expect(formatResult(result, options)).toMatch(
    /^FAILED not_a_server_error {2}createThing\n {2}the status is 503 for valid data.*\n {2}not always: when it was repeated, it got status 201\n/,
  );
});

test('the evidence of a failed creation is simplified even if its repetition is rejected', async () => {
  const create = createNames();
  const { failures } = await checkThings({ 201: done, 409: done }, (name) => {
    const status = create(name);
    return status === 201 && name.length > 3 ? 500 : status;
  });
  const [failure] = failures;
  expect(failure).toMatchObject({ check: 'not_a_server_error', response: { status: 500 } });
  expect(String(failure?.request.body).length).toBeLessThan('{"name":"12345678"}'.length);
});

const DOCUMENT = documentOf({ 200: done }, { get: { operationId: 'listThings', responses: { 200: done } } });
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';

/** Starts a server whose responses depend on the request's number on its connection; `undefined` closes it. */
async function startRawServer(
  respond: (method: string, number: number, text: string) => string | undefined,
): Promise<string> {
  const server = createServer((socket) => {
    let number = 0;
    socket
      .on('error', () => undefined)
      .on('data', (bytes) => {
        const text = bytes.toString('latin1');
        const [, method] = /^([A-Z]+) \/things/.exec(text) ?? [];
        if (method === undefined) return void socket.end(OK);
        const answer = respond(method, (number += 1), text);
        if (answer === OK) socket.write(answer);
        else socket.end(answer ?? '');
      });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // A TCP address, not a pipe.
}

const check = async (operation: string, respond: Parameters<typeof startRawServer>[0]) => {
  const baseUrl = await startRawServer(respond);
  const checks = new Set(['not_a_server_error'] as const);
  const options = { document: DOCUMENT, operations: [operation], runs: 20, budgetMs: 120_000, checks };
  return (await checkContract({ ...options, baseUrl })).failures;
};

test.each([
  ['after a part of the body', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"a'],
  ['after a part of the head', 'HTTP/1.1 200 OK\r\nConte'],
  ['before the last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n'],
])('a connection closed %s is a failure with the received part, even once', async (_name, part) => {
  let count = 0;
  const failures = await check('listThings', (method) => (method === 'GET' && (count += 1) === 5 ? part : OK));
  expect(failures).toMatchObject([
    {
      message: 'the response is incomplete: the connection was closed',
      received: { bytes: Buffer.from(part), totalBytes: part.length },
      passedWith: 200,
    },
  ]);
});

test.each(['listThings', 'createThing'])(
  'a connection closed before the response is not a failure if the request passes on a new connection: %s',
  async (operation) => {
    const sent: string[] = [];
    expect(await check(operation, (method, number) => (sent.push(method), number % 3 === 0 ? undefined : OK))).toEqual(
      [],
    );
    expect(sent.length).toBeGreaterThan(10);
  },
);

test('at most one POST is sent twice to a server that closes connections', async () => {
  const closed: string[] = [];
  const respond = (method: string, number: number) => (number % 3 === 0 ? (closed.push(method), undefined) : OK);
  await check('createThing', respond);
  expect(closed.filter((method) => method === 'POST').length).toBeLessThan(2);
});

test.each([
  ['closes the connection', undefined, 'no valid response: the connection was closed'],
  ['answers 500', 'HTTP/1.1 500 Failed\r\nContent-Length: 0\r\n\r\n', 'the status is 500 for valid data'],
])(
  'a POST that crashes a server, which %s, is a failure even if the server closes other connections',
  async (_name, answer, message) => {
    const failures = await check('createThing', (_method, number, body) =>
      body.includes('x'.repeat(100)) ? answer : number % 3 === 0 ? undefined : OK,
    );
    expect(failures).toMatchObject([{ message, passedWith: undefined }]);
  },
);

test('a new connection that is closed before the response is a failure', async () => {
  expect(await check('listThings', () => undefined)).toMatchObject([{ passedWith: undefined }]);
});

const reference = { document: shallowDocument, token: TOKEN, seed: 3, runs: 20 };

/** Records the requests by operation, and calls a function before each response. */
const recording =
  (beforeAnswer: (url: string) => void, notes: Map<string, string[]>): Defect =>
  (request, respond) => {
    const { method, body } = request;
    const { pathname, search } = new URL(request.url, 'http://server'); // The target may be absolute.
    const url = pathname + search;
    const key = url.replace(/^(\/v1\/\w+).*/, '$1');
    const note = `${method} ${url} ${body.toString('latin1')}`;
    if (key !== '/') notes.set(key, [...(notes.get(key) ?? []), note]);
    beforeAnswer(url);
    return respond(request);
  };
const isPrefix = (short: readonly string[] = [], long: readonly string[] = []): boolean =>
  short.every((note, index) => note === long[index]);

test('at the time limit, operations below the minimum are listed, and other operations have reached it', async () => {
  const isSlow = (url: string): boolean => url.includes('/items?') || url.endsWith('/items');
  const advance = replaceClock();
  const baseUrl = await startReferenceServer(
    recording((url) => {
      if (isSlow(url)) advance(10_000);
    }, new Map()),
  );
  const result = await checkContract({ ...reference, baseUrl, runs: 5, budgetMs: 1_000_000 });
  expect(result.incomplete).toContain('findItems');
  expect(result.incomplete).not.toContain('writeNote');
  expect(formatResult(result, { baseUrl, redactor: undefined, repeatLine: () => '' })).toMatch(
    /\nincomplete, with less than the minimum of requests: findItems.*\nchecked: .* incomplete \(seed 3\)$/,
  );
});

test('the time limit affects the number of requests, not their content', async () => {
  const [fast, slow] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const operations = ['findItems', 'writeNote', 'uploadFile'];
  const advance = replaceClock();
  const fastUrl = await startReferenceServer(recording(() => undefined, fast));
  const slowUrl = await startReferenceServer(
    recording(() => {
      advance(2_000);
    }, slow),
  );
  await checkContract({ ...reference, operations, baseUrl: fastUrl, budgetMs: 120_000 });
  await checkContract({ ...reference, operations, baseUrl: slowUrl, budgetMs: 300_000 });
  expect([...slow.keys()].sort()).toEqual([...fast.keys()].sort());
  for (const [key, notes] of slow) expect(isPrefix(notes, fast.get(key))).toBe(true);
  expect([...slow.values()].flat().length).toBeLessThan([...fast.values()].flat().length);
});

test('several workers share the time limit, and send the same requests as one worker', async () => {
  const [alone, together] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const operations = ['findItems', 'writeNote', 'uploadFile'];
  for (const [workers, notes] of [[1, alone] as const, [3, together] as const]) {
    const baseUrl = await startReferenceServer(recording(() => undefined, notes));
    const result = await checkContract({ ...reference, operations, baseUrl, workers, budgetMs: 120_000 });
    expect(result).toMatchObject({ failures: [], incomplete: [] });
  }
  expect(Object.fromEntries(together)).toEqual(Object.fromEntries(alone));
});
