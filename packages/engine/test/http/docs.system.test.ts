import { pathToFileURL } from 'node:url';
import { parse } from 'yaml';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contract } from '@contract-first/testing/fixture/src/guests/contract.ts';
import { openDocs } from '../../src/docs/docs.ts';
import { createTestApp, type TestApp } from '@contract-first/testing/app.ts';
import { temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { compiledOf, contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { generateHere } from '@contract-first/testing/command.ts';
import { copyProject, copyProjectWithPackages } from '@contract-first/testing/project.ts';
import { APPLICATIONS, FIXTURE, ROOT, runProcess, startServiceProcess } from '@contract-first/testing/service.ts';

const PROJECT = pathToFileURL(join(FIXTURE, '/'));

const PATHS = ['/docs', '/openapi.json', '/openapi.yaml'];
const MAX_INT64 = '9223372036854775807';

test.each([
  ['not set', {}, 200],
  ['off', { DOCS: 'off' }, 404],
  ['not set, in production', { NODE_ENV: 'production' }, 404],
  ['on, in production', { NODE_ENV: 'production', DOCS: 'on' }, 200],
])('DOCS: %s', async (_name, env: Record<string, string>, status) => {
  const service = await startServiceProcess({ ...env, DATABASE_URL: temporaryDatabase() });
  for (const path of [...PATHS, '/docs/page.js', '/docs/swagger-ui.css']) {
    const response = await fetch(service.url + path);
    expect(response.status).toBe(status);
    const text = await response.text();
    if (status === 404) expect(text).toBe('{"error":404,"message":"this path does not exist"}');
  }
});

test.each([
  ['on', 1],
  ['not set', 0],
])('DOCS: %s, without the required package', async (docs, code) => {
  const { folder } = copyProjectWithPackages((name) => name !== 'swagger-ui-dist');
  const env = { ...(docs === 'on' ? { DOCS: docs } : {}), DATABASE_URL: 'sqlite:guests.db' };
  if (code === 1) {
    const stderr = 'DOCS=on needs the package swagger-ui-dist, which npm ci --omit=dev leaves out\n';
    expect(await runProcess('node', ['src/main.ts'], env, folder)).toEqual({ code, stdout: '', stderr });
    return;
  }
  const service = await startServiceProcess(env, ['node', 'src/main.ts'], folder);
  for (const path of PATHS) expect((await fetch(service.url + path)).status).toBe(404);
  service.process.kill();
  expect((await service.outcome).code).toBe(code);
});

test.each(['/docs', '/{page}', '/docs/{page}'])('DOCS: a contract that defines %s itself keeps it', async (path) => {
  const parameters = path.includes('{')
    ? 'parameters: [{ name: page, in: path, required: true, schema: { type: string } }]\n'
    : '';
  const other = await contractOf(
    documentOf(path, 'get', `${parameters}responses: { '204': { description: Nothing. } }`),
  );
  expect(openDocs('if possible', other, PROJECT)).toBeUndefined();
  expect(() => openDocs(true, other, PROJECT)).toThrow(/^DOCS=on: the contract defines \/docs/);
});

const follow = (url: string, path: string) => fetch(url + path, { redirect: 'manual' });

test('/ redirects to the docs page if it is served, and does not exist otherwise', async () => {
  const { url } = await startServiceProcess();
  for (const path of ['/', '/?x=1']) {
    const response = await follow(url, path);
    expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
  }
  expect((await fetch(url)).headers.get('content-type')).toBe('text/html; charset=utf-8');
  for (const env of [{ DOCS: 'off' }, { NODE_ENV: 'production' }]) {
    expect((await follow((await startServiceProcess(env)).url, '/')).status).toBe(404);
  }
});

test('/ is an operation if the contract defines it, beside the docs page', async () => {
  const { contract, document } = await compiledOf(
    documentOf('/', 'get', `responses: { '204': { description: Nothing. } }`),
  );
  const docs = openDocs(true, contract, { json: JSON.stringify(document), yaml: '' });
  const { serve } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) }, docs });
  const { url } = await serve();
  expect((await follow(url, '/')).status).toBe(204);
  expect((await follow(url, '/docs')).status).toBe(200);
});

test('the docs routes serve the document, byte for byte and as JSON', async () => {
  const { url } = await serveWithDocs();
  const yaml = await (await fetch(`${url}/openapi.yaml`)).text();
  expect(yaml).toBe(readFileSync(join(FIXTURE, 'openapi.yaml'), 'utf8'));
  const json: unknown = await (await fetch(`${url}/openapi.json`)).json();
  expect(json).toEqual(parse(yaml));
});

test('the docs page of a service does not show the state of a mock', async () => {
  const { url } = await serveWithDocs();
  const html = readFileSync(join(ROOT, 'packages/engine/src/docs/page.html'), 'utf8');
  expect(await (await fetch(`${url}/docs`)).text()).toBe(html);
  for (const name of ['state.js', 'state.json']) expect((await fetch(`${url}/docs/${name}`)).status).toBe(404);
});

test('the docs routes have their media types, and the page has a content security policy', async () => {
  const { url } = await serveWithDocs();
  const headersOf = async (path: string) => (await fetch(url + path)).headers;
  const page = await headersOf('/docs');
  expect(page.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.get('content-security-policy')).toMatch(/^default-src 'none'; /);
  expect(page.get('content-security-policy')).not.toMatch(/unsafe|http|\*/);
  expect(page.get('x-content-type-options')).toBe('nosniff');
  expect((await headersOf('/docs/page.js')).get('content-type')).toBe('text/javascript');
  expect((await headersOf('/docs/page.css')).get('content-type')).toBe('text/css');
  expect((await headersOf('/openapi.json')).get('content-type')).toBe('application/json');
  expect((await headersOf('/openapi.yaml')).get('content-type')).toBe('application/yaml');
});

test('the docs routes accept GET and HEAD only; there are no other paths', async () => {
  const { url } = await serveWithDocs();
  const head = await fetch(`${url}/docs?x=1`, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  const post = await fetch(`${url}/docs`, { method: 'POST', body: 'x' });
  expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  expect(await post.json()).toEqual({ error: 405, message: 'this path allows only GET, HEAD' });
  for (const path of ['/docs/', '/Docs', '/docs/docs.ts', '/docs/../src/main.ts', '/docs/%2e%2e/package.json']) {
    expect((await fetch(url + path)).status).toBe(404);
  }
});

test('/openapi.json is the unchanged document, bundled, with all digits of its numbers', async () => {
  const { folder, write } = copyProject(join(APPLICATIONS, 'legacy'));
  write(
    'openapi.yaml',
    `openapi: 3.1.0
info: { title: Exact, version: 1.0.0 }
security: []
paths:
  /a:
    get:
      responses:
        200: { description: Done., content: { application/json: { schema: { $ref: 'more.yaml#/Big' } } } }
components:
  schemas:
    A: { enum: [1e400, -0, 1.10, 0x7FFFFFFFFFFFFFFF, +9007199254740993, "9007199254740993"], description: 'is 9007199254740993' }
    B: { properties: { constructor: {} }, default: &digits 0.1000000000000000055511151231257827, examples: [*digits] }
`,
  );
  write('more.yaml', `Big: { type: integer, format: int64, maximum: ${MAX_INT64} }\n`);
  expect((await generateHere(folder)).code).toBe(0);
  const { url } = await startServiceProcess({}, ['node', 'src/main.ts'], folder);
  const text = await (await fetch(`${url}/openapi.json`)).text();
  const expected = `{"openapi":"3.1.0","info":{"title":"Exact","version":"1.0.0"},"security":[],"paths":{"/a":{"get":{"responses":{
    "200":{"description":"Done.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Big"}}}}}}}},
    "components":{"schemas":{"A":{"enum":[1e400,-0,1.1,${MAX_INT64},9007199254740993,"9007199254740993"],"description":"is 9007199254740993"},
    "B":{"properties":{"constructor":{}},"default":0.1000000000000000055511151231257827,"examples":[0.1000000000000000055511151231257827]},
    "Big":{"type":"integer","format":"int64","maximum":${MAX_INT64}}}}}`;
  expect(text.replaceAll(/\s/g, '')).toBe(expected.replaceAll(/\s/g, ''));
});

async function serveWithDocs(): Promise<TestApp & { readonly url: string }> {
  const app = await createTestApp({ docs: openDocs(true, contract, PROJECT) });
  return { ...app, url: (await app.serve()).url };
}
