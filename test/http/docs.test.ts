import { describe, expect, test } from '@jest/globals';
import { parseYaml } from '@redocly/openapi-core';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { contract } from '../../src/plants/contract.ts';
import type { Contract } from '../../src/engine/contract/contract.ts';
import { openDocs } from '../../src/engine/docs/docs.ts';
import type { AnyHandler } from '../../src/engine/http/pipeline.ts';
import { createTestApp, temporaryDatabase, type TestApp, TOKEN } from '../support/app.ts';
import { FAINT_TEXTS, openPage } from '../support/browser.ts';
import { contractOf, documentOf } from '../support/contract.ts';
import { copyProject, copyProjectWithContract } from '../support/project.ts';
import { ROOT, run, startService } from '../support/service.ts';

const PATHS = ['/docs', '/openapi.json', '/openapi.yaml'];
/** The path for the README's screenshot, when it is to be taken. */
const SCREENSHOT = process.env['SCREENSHOT'];
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const EVERYTHING = `parameters: [{ name: q, in: query, description: A text., schema: { type: string } }],
  requestBody: { description: A thing., content: { application/json: { schema: { type: object },
    examples: { one: { summary: One, value: {} }, two: { summary: Two, value: {} } } } } },
  responses: { '200': { description: Done., content: { application/json: { schema: { type: object } } } } }`;
const MAX_INT64 = '9223372036854775807';

describe('DOCS', () => {
  test.each([
    ['not set', {}, 200],
    ['off', { DOCS: 'off' }, 404],
    ['not set, in production', { NODE_ENV: 'production' }, 404],
    ['on, in production', { NODE_ENV: 'production', DOCS: 'on' }, 200],
  ])('%s', async (_name, env: Record<string, string>, status) => {
    const service = await startService({ ...env, DATABASE_URL: temporaryDatabase() });
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
  ])('%s, without the package that it needs', async (docs, code) => {
    const { folder } = copyProject();
    const packages = join(folder, 'node_modules');
    rmSync(packages);
    mkdirSync(packages);
    for (const name of readdirSync(join(ROOT, 'node_modules')).filter((name) => name !== 'swagger-ui-dist')) {
      symlinkSync(join(ROOT, 'node_modules', name), join(packages, name));
    }
    const env = { ...(docs === 'on' ? { DOCS: docs } : {}), DATABASE_URL: 'sqlite:plants.db' };
    if (code === 1) {
      const stderr = 'DOCS=on needs the package swagger-ui-dist, which npm ci --omit=dev leaves out\n';
      expect(await run('node', ['src/main.ts'], env, folder)).toEqual({ code, stdout: '', stderr });
      return;
    }
    const service = await startService(env, ['node', 'src/main.ts'], folder);
    for (const path of PATHS) expect((await fetch(service.url + path)).status).toBe(404);
    service.process.kill();
    expect((await service.outcome).code).toBe(code);
  });

  test.each(['/docs', '/{page}', '/docs/{page}'])('a contract that has %s itself keeps it', async (path) => {
    const parameters = path.includes('{')
      ? 'parameters: [{ name: page, in: path, required: true, schema: { type: string } }]\n'
      : '';
    const other = await contractOf(
      documentOf(path, 'get', `${parameters}responses: { '204': { description: Nothing. } }`),
    );
    expect(openDocs('if possible', other)).toBeUndefined();
    expect(() => openDocs(true, other)).toThrow(/^DOCS=on: the contract defines \/docs/);
  });
});

describe('/', () => {
  const follow = (url: string, path: string) => fetch(url + path, { redirect: 'manual' });

  test('leads to the docs page where it is served, and does not exist otherwise', async () => {
    const { url } = await startService();
    for (const path of ['/', '/?x=1']) {
      const response = await follow(url, path);
      expect([response.status, response.headers.get('location')]).toEqual([302, '/docs']);
    }
    expect((await fetch(url)).headers.get('content-type')).toBe('text/html; charset=utf-8');
    for (const env of [{ DOCS: 'off' }, { NODE_ENV: 'production' }]) {
      expect((await follow((await startService(env)).url, '/')).status).toBe(404);
    }
  });

  test('is the operation of a contract that defines it, beside the docs page', async () => {
    const other = await contractOf(documentOf('/', 'get', `responses: { '204': { description: Nothing. } }`));
    const docs = openDocs(true, other, { json: JSON.stringify(other.document), yaml: '' });
    const { serve } = await createTestApp({ contract: other, handlers: { op: async () => ({ status: 204 }) }, docs });
    const { url } = await serve();
    expect((await follow(url, '/')).status).toBe(204);
    expect((await follow(url, '/docs')).status).toBe(200);
  });
});

describe('the docs routes', () => {
  test('serve the document, byte for byte and as JSON', async () => {
    const { url } = await serveWithDocs();
    const yaml = await (await fetch(`${url}/openapi.yaml`)).text();
    expect(yaml).toBe(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'));
    const json: unknown = await (await fetch(`${url}/openapi.json`)).json();
    expect(json).toEqual(parseYaml(yaml));
  });

  test('have their media types, and the content security policy of the page', async () => {
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

  test('accept GET and HEAD only; there are no other paths', async () => {
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
});

test('/openapi.json has the document as it was written, bundled, with all digits of its numbers', async () => {
  const { folder, write } = copyProjectWithContract('legacy');
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
  expect((await run('node', ['scripts/generate.ts'], {}, folder)).code).toBe(0);
  const { url } = await startService({}, ['node', 'src/main.ts'], folder);
  const text = await (await fetch(`${url}/openapi.json`)).text();
  const expected = `{"openapi":"3.1.0","info":{"title":"Exact","version":"1.0.0"},"security":[],"paths":{"/a":{"get":{"responses":{
    "200":{"description":"Done.","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Big"}}}}}}}},
    "components":{"schemas":{"A":{"enum":[1e400,-0,1.1,${MAX_INT64},9007199254740993,"9007199254740993"],"description":"is 9007199254740993"},
    "B":{"properties":{"constructor":{}},"default":0.1000000000000000055511151231257827,"examples":[0.1000000000000000055511151231257827]},
    "Big":{"type":"integer","format":"int64","maximum":${MAX_INT64}}}}}`;
  expect(text.replaceAll(/\s/g, '')).toBe(expected.replaceAll(/\s/g, ''));
});

describe('in a browser', () => {
  test('a plant is created from the page, with its id exactly as typed', async () => {
    const { url, history } = await serveWithDocs();
    const { page, complaints, origins } = await openPage(`${url}/docs`, { viewport: { width: 1000, height: 800 } });
    await enterToken(page, TOKEN);
    const shown = await send(page, 'createPlant', `{\n  "id": ${MAX_INT64},\n  "name": "Fern",\n  "tag": "indoor"\n}`);
    expect(shown.status).toBe('200');
    expect(JSON.parse(shown.body)).toEqual({ name: 'Fern', tag: 'indoor' });
    expect(await history()).toEqual([{ id: BigInt(MAX_INT64), name: 'Fern', tag: 'indoor' }]);
    expect(await page.title()).toBe('Plant store');
    expect(complaints).toEqual([]);
    expect([...origins]).toEqual([url]);
    if (SCREENSHOT !== undefined) await takeScreenshot(page, SCREENSHOT);
    expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
  });

  test('a wrong token gets 401 with an Error', async () => {
    const { url, history } = await serveWithDocs();
    const { page, complaints } = await openPage(`${url}/docs`);
    await enterToken(page, 'wrong');
    const shown = await send(page, 'createPlant', '{"id":1,"name":"Fern"}');
    expect(shown.status).toMatch(/^401\b/);
    expect(JSON.parse(shown.body)).toMatchObject({ error: 401, message: expect.stringMatching(/bearer token/) });
    expect(await history()).toEqual([]);
    // Chromium logs every 4xx.
    expect(complaints.filter((complaint) => !complaint.includes('status of 401'))).toEqual([]);
  });

  test('an int64 of a response is shown with all its digits', async () => {
    const answer = `responses:
  '200':
    description: An id.
    content: { application/json: { schema: { type: object, properties: { id: { type: integer, format: int64 } } } } }`;
    const other = await contractOf(documentOf('/id', 'get', answer));
    const handlers = { op: async () => ({ status: 200, body: { id: BigInt(MAX_INT64) } }) };
    const { page } = await openPage(`${await serveOther(other, handlers)}/docs`);
    expect(await send(page)).toEqual({ status: '200', body: `{"id":${MAX_INT64}}` });
  });

  test.each([
    ['image/png', PNG],
    ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="10"/>'],
  ])('a response of %s is shown as an image, within the page', async (type, image) => {
    const { page, complaints } = await openPage(`${await serveFile(type, image)}/docs`);
    await execute(page);
    await page.locator('.live-responses-table img').waitFor();
    // Rejects for an image that is not shown.
    await page.evaluate("document.querySelector('.live-responses-table img').decode()");
    expect(await page.evaluate('document.documentElement.scrollWidth === innerWidth')).toBe(true);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['application/octet-stream', {}, 'it'],
    ['application/zip', {}, 'it.zip'],
    ['audio/mpeg', { 'Content-Disposition': 'attachment; filename="song.mp3"' }, 'song.mp3'],
  ])('a response of %s can be downloaded, byte for byte', async (type, headers, name) => {
    const bytes = Buffer.from([0, 255, 216, 13, 10]);
    const url = await serveFile(type, bytes, headers);
    const { page, complaints } = await openPage(`${url}/docs`, { colorScheme: 'dark' });
    await execute(page);
    const link = page.getByText('Download file');
    await link.waitFor();
    expect(await page.evaluate(FAINT_TEXTS)).toEqual([]);
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    expect(readFileSync(await download.path())).toEqual(bytes);
    expect(download.suggestedFilename()).toBe(name);
    expect(complaints).toEqual([]);
  });

  test.each([
    ['light', 1000],
    ['dark', 1000],
    ['light', 400],
    ['dark', 400],
  ] as const)('%s, %i px wide: all can be read, nothing sticks out', async (colorScheme, width) => {
    const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];
    const operations = methods.map(
      (method) => `${method}: { operationId: ${method}It, summary: Do it, ${EVERYTHING} }`,
    );
    const other = await contractOf(`openapi: 3.1.0
info: { title: Every method, version: 1.0.0 }
security: [{ bearer: [] }]
paths: { '/it': { ${operations.join(', ')} } }
components: { securitySchemes: { bearer: { type: http, scheme: bearer } } }`);
    const url = await serveOther(other, {});
    const { page } = await openPage(`${url}/docs`, { colorScheme, viewport: { width, height: 800 } });
    await send(page, 'postIt', '{}');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    expect(await page.evaluate(FAINT_TEXTS)).toEqual([]);
  });
});

async function serveWithDocs(): Promise<TestApp & { readonly url: string }> {
  const app = await createTestApp({ docs: openDocs(true, contract) });
  return { ...app, url: (await app.serve()).url };
}

/** Serves GET /it, which responds with a file. Returns the URL of the service. */
async function serveFile(type: string, body: string | Uint8Array, headers = {}): Promise<string> {
  const response = `responses: { '200': { description: A file., content: { ${type}: {} } } }`;
  const other = await contractOf(documentOf('/it', 'get', response));
  return serveOther(other, { op: async () => ({ status: 200, headers, body }) });
}

/** Serves another contract with its docs page. Returns the URL of the service. */
async function serveOther(other: Contract, handlers: Readonly<Record<string, AnyHandler>>): Promise<string> {
  const docs = openDocs(true, other, { json: JSON.stringify(other.document), yaml: '' });
  const { serve } = await createTestApp({ contract: other, production: false, handlers, docs });
  return (await serve()).url;
}

async function enterToken(page: Page, token: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByLabel('auth-bearer-value').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Close' }).last().click();
}

/** Sends an operation from the page, and returns the response that the page shows. */
async function send(
  page: Page,
  operationId = 'op',
  body?: string,
): Promise<{ readonly status: string; readonly body: string }> {
  await execute(page, operationId, body);
  const row = page.locator('.live-responses-table tbody .response');
  return {
    status: (await row.locator('.response-col_status').innerText()).trim(),
    body: await row.locator('.highlight-code code').first().innerText(),
  };
}

/** Sends an operation from the page. */
async function execute(page: Page, operationId = 'op', body?: string): Promise<void> {
  await page.locator(`.opblock[id$="-${operationId}"] .opblock-summary-control`).click();
  if (body !== undefined) await page.locator('.body-param__text').fill(body);
  await page.getByRole('button', { name: 'Execute' }).click();
}

/** Saves a screenshot from the operation down to the body of its response. */
async function takeScreenshot(page: Page, path: string): Promise<void> {
  const top = await page.locator('.opblock-tag').boundingBox();
  const bottom = await page.locator('.live-responses-table .highlight-code').first().boundingBox();
  if (top === null || bottom === null) throw new Error('the page does not show an operation and its answer');
  const y = top.y + Number(await page.evaluate('scrollY'));
  const height = bottom.y + bottom.height + 8 - top.y;
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y, width: page.viewportSize()?.width ?? 0, height } });
}
