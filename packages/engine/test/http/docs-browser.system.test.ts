import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FIXTURE } from '@contract-first/testing/root.ts';
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { contract } from '@contract-first/testing/fixture/src/guests/contract.ts';
import type { CompiledDocument } from '@contract-first/documents';
import { openDocs, type ReadState } from '../../src/docs/docs.ts';
import type { AnyHandler } from '../../src/http/handle/call-handler.ts';
import { createTestApp, type TestApp, TOKEN } from '@contract-first/testing/app.ts';
import { FAINT_TEXTS, openPage } from './support/browser.ts';
import { compiledOf, documentOf } from '@contract-first/testing/contract.ts';

const PROJECT = pathToFileURL(join(FIXTURE, '/'));

/** The path at which to save the README's screenshot; `undefined` to take none. */
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

test('in a browser, a guest is created from the page, with its id exactly as typed', async () => {
  const { url, history } = await serveWithDocs();
  const { page, complaints, origins } = await openPage(`${url}/docs`, { viewport: { width: 1000, height: 800 } });
  await enterToken(page, TOKEN);
  const shown = await send(page, 'createGuest', `{\n  "id": ${MAX_INT64},\n  "name": "Anna",\n  "tag": "friend"\n}`);
  expect(shown.status).toBe('200');
  expect(JSON.parse(shown.body)).toEqual({ name: 'Anna', tag: 'friend' });
  expect(await history()).toEqual([{ id: BigInt(MAX_INT64), name: 'Anna', tag: 'friend' }]);
  expect(await page.title()).toBe('Guest book');
  expect(complaints).toEqual([]);
  expect([...origins]).toEqual([url]);
  if (SCREENSHOT !== undefined) await takeScreenshot(page, SCREENSHOT);
  expect(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length')).toBe(0);
});

test('in a browser, an invalid token gets 401 with an Error', async () => {
  const { url, history } = await serveWithDocs();
  const { page, complaints } = await openPage(`${url}/docs`);
  await enterToken(page, 'wrong');
  const shown = await send(page, 'createGuest', '{"id":1,"name":"Anna"}');
  expect(shown.status).toMatch(/^401\b/);
  expect(JSON.parse(shown.body)).toMatchObject({ error: 401, message: expect.stringMatching(/bearer token/) });
  expect(await history()).toEqual([]);
  // Chromium logs every 4xx.
  expect(complaints.filter((complaint) => !complaint.includes('status of 401'))).toEqual([]);
});

test('in a browser, an int64 of a response is shown with all its digits', async () => {
  const answer = `responses:
  '200':
    description: An id.
    content: { application/json: { schema: { type: object, properties: { id: { type: integer, format: int64 } } } } }`;
  const other = await compiledOf(documentOf('/id', 'get', answer));
  const handlers = { op: async () => ({ status: 200, body: { id: BigInt(MAX_INT64) } }) };
  const { page } = await openPage(`${await serveOther(other, handlers)}/docs`);
  expect(await send(page)).toEqual({ status: '200', body: `{"id":${MAX_INT64}}` });
});

test.each([
  ['image/png', PNG],
  ['image/svg+xml', '<svg xmlns="http://www.w3.org/2000/svg" width="3000" height="10"/>'],
])('in a browser, a response of %s is shown as an image, within the page', async (type, image) => {
  const { page, complaints } = await openPage(`${await serveFile(type, image)}/docs`);
  await execute(page);
  await page.locator('.live-responses-table img').waitFor();
  // Rejects if the image is not shown.
  await page.evaluate("document.querySelector('.live-responses-table img').decode()");
  expect(await page.evaluate('document.documentElement.scrollWidth === innerWidth')).toBe(true);
  expect(complaints).toEqual([]);
});

test.each([
  ['application/octet-stream', {}, 'it'],
  ['application/zip', {}, 'it.zip'],
  ['audio/mpeg', { 'Content-Disposition': 'attachment; filename="song.mp3"' }, 'song.mp3'],
])('in a browser, a response of %s can be downloaded, byte for byte', async (type, headers, name) => {
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

test('in a browser, the page of a mock shows the stored resources, and new resources after a refresh', async () => {
  const document = await compiledOf(documentOf('/it', 'get', `responses: { '204': { description: Nothing. } }`));
  const stored = new Map([['/books', `[{ "id": ${MAX_INT64} }]`]]);
  const { page, complaints } = await openPage(
    `${await serveOther(document, {}, () => Object.fromEntries(stored))}/docs`,
  );
  await page.getByText(`[{ "id": ${MAX_INT64} }]`).waitFor();
  stored.set('/settings', '{ "color": "<b>red</b>" }');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText('{ "color": "<b>red</b>" }').waitFor();
  expect(await page.locator('#state h4').allInnerTexts()).toEqual(['/books', '/settings']);
  expect(complaints).toEqual([]);
});

test.each([
  ['light', 1000],
  ['dark', 1000],
  ['light', 400],
  ['dark', 400],
] as const)('in a browser, %s, %i px wide: all text is readable, and nothing overflows', async (colorScheme, width) => {
  const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'];
  const operations = methods.map((method) => `${method}: { operationId: ${method}It, summary: Do it, ${EVERYTHING} }`);
  const other = await compiledOf(`openapi: 3.1.0
info: { title: Every method, version: 1.0.0 }
security: [{ bearer: [] }]
paths: { '/it': { ${operations.join(', ')} } }
components: { securitySchemes: { bearer: { type: http, scheme: bearer } } }`);
  const url = await serveOther(other, {}, () => ({ '/it': `{ "text": "${'long'.repeat(100)}" }` }));
  const { page } = await openPage(`${url}/docs`, { colorScheme, viewport: { width, height: 800 } });
  await send(page, 'postIt', '{}');
  await page.locator('#state h4').waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  expect(await page.evaluate(FAINT_TEXTS)).toEqual([]);
});

async function serveWithDocs(): Promise<TestApp & { readonly url: string }> {
  const app = await createTestApp({ docs: openDocs(true, contract, PROJECT) });
  return { ...app, url: (await app.serve()).url };
}

/** Serves GET /it, which responds with a file. Returns the URL of the service. */
async function serveFile(type: string, body: string | Uint8Array, headers = {}): Promise<string> {
  const response = `responses: { '200': { description: A file., content: { ${type}: {} } } }`;
  const other = await compiledOf(documentOf('/it', 'get', response));
  return serveOther(other, { op: async () => ({ status: 200, headers, body }) });
}

/** Serves another contract with its docs page and the state of a mock. Returns the URL of the service. */
async function serveOther(
  { contract, document }: CompiledDocument,
  handlers: Readonly<Record<string, AnyHandler>>,
  state?: ReadState,
): Promise<string> {
  const docs = openDocs(true, contract, { json: JSON.stringify(document), yaml: '' }, state);
  const { serve } = await createTestApp({ contract, production: false, handlers, docs });
  return (await serve()).url;
}

async function enterToken(page: Page, token: string): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByLabel('auth-bearer-value').fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Close' }).last().click();
}

/** Executes an operation on the page. Returns the response that the page shows. */
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

/** Executes an operation on the page. */
async function execute(page: Page, operationId = 'op', body?: string): Promise<void> {
  await page.locator(`.opblock[id$="-${operationId}"] .opblock-summary-control`).click();
  if (body !== undefined) await page.locator('.body-param__text').fill(body);
  await page.getByRole('button', { name: 'Execute' }).click();
}

/** Saves a screenshot from the operation to the body of its response. */
async function takeScreenshot(page: Page, path: string): Promise<void> {
  const top = await page.locator('.opblock-tag').boundingBox();
  const bottom = await page.locator('.live-responses-table .highlight-code').first().boundingBox();
  if (top === null || bottom === null) throw new Error('the page does not show an operation and its answer');
  const y = top.y + Number(await page.evaluate('scrollY'));
  const height = bottom.y + bottom.height + 8 - top.y;
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y, width: page.viewportSize()?.width ?? 0, height } });
}
