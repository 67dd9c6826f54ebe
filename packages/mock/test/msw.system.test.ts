import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { compiledOf } from '@contract-first/testing/contract.ts';
import { INSTALL_OPTIONS } from '@contract-first/testing/packed.ts';
import { runProcess } from '@contract-first/testing/service.ts';
import { openPage } from '../../engine/test/http/support/browser.ts';
import { renderHandlers } from '../src/msw.ts';
import { startMock } from '../src/start-mock.ts';

// Its install script is not needed: it only updates copies of the worker in other projects.
const MSW = 'msw@2.15.0';
const json = (schema: string, example = ''): string => `content: { application/json: { schema: ${schema}${example} } }`;
const book = (title: string): string =>
  `description: A book., headers: { X-Shelf: { schema: { type: integer }, example: 7 } }, ${json('{ type: object }', `, example: { title: ${title} }`)}`;
const text = (type: string, example: string): string =>
  `get: { responses: { '200': { description: A text., content: { ${type}: { schema: { type: string }, example: ${example} } } } } }`;
const DOCUMENT = `
openapi: 3.2.0
info: { title: 'Shop */', version: 1.0.0 }
servers: [{ url: 'https://shop.example/v1' }, { url: 'https://test.example/v1.beta' }]
security: []
paths:
  /books/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { responses: { '200': { ${book(`"It's \\u2028 \\"new\\""`)} } } }
    delete: { responses: { '204': { description: Gone. } } }
  /books/latest: { get: { parameters: [{ name: q, in: query, schema: { type: integer } }], responses: { '203': { ${book('Emma')} } } } }
  /books/{id}:lend:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    post: { responses: { default: { description: Lent., content: { application/vnd.shop+json: { schema: { type: array, items: { enum: [9007199254740993] } } } } } } }
  /books: { get: { responses: { '200': { description: Books., ${json('{ type: array, minItems: 1, items: { type: object, required: [a b], properties: { a b: { type: boolean } } } }')} } } } }
  /café.txt: { ${text('text/plain; charset=utf-8', '"á, \\"b\\"\\n"')} }
  /rows: { ${text('text/csv', '"a,b\\r\\n"')} }
  /lines: { get: { responses: { '200': { description: Lines., content: { application/jsonl: { itemSchema: { enum: [9007199254740993] } }, application/json: {} } } } } }
  /trace: { trace: { operationId: traceIt, responses: { '200': { description: It. } } } }
`;
const REQUESTS = [
  ['GET', '/v1/books/latest'],
  ['GET', '/v1.beta/books/latest?q=1'],
  ['GET', '/v1/books/7'],
  ['DELETE', '/v1/books/7'],
  ['POST', '/v1/books/7:lend'],
  ['GET', '/v1/books'],
  ['GET', '/v1/café.txt'],
  ['GET', '/v1/rows'],
  ['GET', '/v1/lines'],
] as const;

/** Sends requests and returns the responses. Also runs in the browser. */
async function ask(origin: string, requests: readonly (readonly [method: string, target: string])[], headers = {}) {
  const responses = [];
  for (const [method, target] of requests) {
    const response = await fetch(origin + target, { method, headers });
    const [type, shelf] = ['content-type', 'x-shelf'].map((name) => response.headers.get(name));
    responses.push({ target, status: response.status, type, shelf, text: await response.text() });
  }
  return responses;
}

let folder = '';
/** The responses of the stateless mock. */
let expected: Awaited<ReturnType<typeof ask>> = [];
let written: Awaited<ReturnType<typeof runProcess>> | undefined;

beforeAll(async () => {
  folder = temporaryFolder();
  execFileSync('npm', ['install', MSW, '--ignore-scripts', ...INSTALL_OPTIONS], { cwd: folder, stdio: 'ignore' });
  writeFileSync(join(folder, 'shop.yaml'), DOCUMENT);
  written = await runProcess('contract-first', ['mock', 'shop.yaml', '--msw', 'handlers.ts'], {}, folder);
  const mock = await startMock(join(folder, 'shop.yaml'));
  cleanUp(mock.close);
  expected = await ask(mock.url, REQUESTS, { Prefer: 'dynamic=false' });
});

test('mock --msw writes handlers deterministically, and lists the operations without a handler', async () => {
  expect(written).toMatchObject({ code: 0, stdout: 'handlers.ts\n' });
  expect(written?.stderr).toContain(
    'no handler for traceIt: TRACE /trace: Mock Service Worker does not support the method',
  );
  const { text } = renderHandlers(await compiledOf(DOCUMENT), 1);
  expect(text).toBe(readFileSync(join(folder, 'handlers.ts'), 'utf8'));
  const missing = await runProcess('contract-first', ['mock', 'shop.yaml', '--msw', 'missing/handlers.ts'], {}, folder);
  expect(missing).toMatchObject({ code: 2, stderr: expect.stringContaining('missing/handlers.ts cannot be written') });
});

test('in Node, the handlers respond like the stateless mock, on any host', async () => {
  const script = `import { setupServer } from 'msw/node';
import { handlers } from './handlers.ts';
${ask.toString()}
const server = setupServer(...handlers);
server.listen({ onUnhandledRequest: 'error' });
const responses = await ask('https://any.example', ${JSON.stringify(REQUESTS)});
const others = await Promise.allSettled([fetch('https://any.example/v1/films'), fetch('https://any.example/old/v1/books')]);
console.log(JSON.stringify({ responses, others: others.map(({ status }) => status) }));`;
  writeFileSync(join(folder, 'ask.mjs'), script);
  const { stdout } = await runProcess('node', ['ask.mjs'], {}, folder);
  expect(JSON.parse(stdout)).toEqual({ responses: expected, others: ['rejected', 'rejected'] });
});

test('in a browser, the handlers respond like the stateless mock', async () => {
  const library = join(folder, 'node_modules/msw/lib');
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/': [
      'text/html',
      `<script src="iife.js"></script><script type="importmap">{ "imports": { "msw": "./msw.js" } }</script>`,
    ],
    '/iife.js': ['text/javascript', readFileSync(join(library, 'iife/index.js'), 'utf8')],
    '/msw.js': ['text/javascript', 'export const { http, HttpResponse, setupWorker } = MockServiceWorker;'],
    '/handlers.js': ['text/javascript', readFileSync(join(folder, 'handlers.ts'), 'utf8')],
    '/mockServiceWorker.js': ['text/javascript', readFileSync(join(library, 'mockServiceWorker.js'), 'utf8')],
  };
  const server = createServer(({ url = '' }, res) => {
    const [type, body] = files[url] ?? ['text/plain', ''];
    res.setHeader('Content-Type', `${type}; charset=utf-8`).end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  const { page } = await openPage(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`);
  const responses = await page.evaluate(`(async () => {
    const [{ setupWorker }, { handlers }] = await Promise.all([import('./msw.js'), import('./handlers.js')]);
    await setupWorker(...handlers).start({ onUnhandledRequest: 'error', quiet: true });
    return (${ask.toString()})('https://any.example', ${JSON.stringify(REQUESTS)});
  })()`);
  expect(responses).toEqual(expected);
});
