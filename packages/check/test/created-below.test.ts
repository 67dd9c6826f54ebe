import { checkContract } from '../src/contract-run.ts';
import { CHECK_NAMES, isStateCheck } from '../src/judgement/checks.ts';
import { answerJson, startReferenceServer, type ServerAnswer } from './support/reference-server.ts';

// Parts are created below a thing, but have their own path for reads.

const json = (schema: object) => ({ 'application/json': { schema } });
const part = { type: 'object', properties: { id: { type: 'string' }, name: { type: 'string' } } };
const other = { type: 'object', properties: { id: { type: 'string' } } };
const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
const missing = { description: 'Missing' };
const location = { headers: { Location: { schema: { type: 'string' } } } };
const link = { links: { part: { operationId: 'getPart', parameters: { partId: '$response.body#/key' } } } };

/** Checks a service with the given documented response to the creation of a part. */
async function check(
  created: object,
  answer: (id: string) => ServerAnswer,
  isRead = true,
  { path = '/things/{id}/parts', status = 201 } = {},
): Promise<readonly string[]> {
  const takes = { required: true, content: json({ type: 'object', properties: { name: { type: 'string' } } }) };
  const document = {
    openapi: '3.1.0',
    info: { title: 'Parts', version: '1.0.0' },
    security: [],
    paths: {
      '/things': {
        post: { operationId: 'createThing', responses: { '201': { description: 'Done', content: json(other) } } },
      },
      '/things/{id}': {
        parameters: [inPath('id')],
        get: {
          operationId: 'getThing',
          responses: { '200': { description: 'Done', content: json(other) }, '404': missing },
        },
      },
      [path]: {
        parameters: path.includes('{id}') ? [inPath('id')] : [],
        post: {
          operationId: 'createPart',
          requestBody: takes,
          responses: { [status]: { description: 'Done', ...created }, '404': missing },
        },
      },
      '/parts/{partId}': {
        parameters: [inPath('partId')],
        get: {
          operationId: 'getPart',
          responses: { '200': { description: 'Done', content: json(part) }, '404': missing },
        },
      },
    },
  };
  const stored = new Map<string, unknown>();
  const baseUrl = await startReferenceServer(({ method, url, body }) => {
    const id = String(stored.size + 1);
    if (url === '/things') return (stored.set('/things/1', { id: '1' }), answerJson(201, { id: '1' }));
    if (method === 'GET')
      return stored.has(url) ? answerJson(200, stored.get(url)) : { status: 404, headers: {}, body: '' };
    if (url !== path.replace('{id}', '1')) return { status: 404, headers: {}, body: '' };
    if (isRead) stored.set(`/parts/${id}`, { ...(JSON.parse(body.toString()) as object), id });
    return answer(id);
  });
  const checks = new Set(CHECK_NAMES.filter(isStateCheck));
  const { failures } = await checkContract({ document, baseUrl, checks, seed: 1, runs: 0, budgetMs: 120_000 });
  return failures.map(({ check, operationId }) => `${check} ${operationId}`);
}

test.each<[string, object, (id: string) => ServerAnswer]>([
  ['Location', location, (id) => ({ status: 201, headers: { Location: `/parts/${id}` }, body: '' })],
  ['a link', { content: json({ type: 'object' }), ...link }, (id) => answerJson(201, { key: id })],
  ['a response of the same schema', { content: json(part) }, (id) => answerJson(201, { id })],
])('a resource that is created below another resource is read at its own path: %s', async (_name, created, answer) => {
  expect(await check(created, answer)).toEqual([]);
  expect(await check(created, answer, false)).toEqual(['ensure_resource_availability getPart']);
});

test.each<[string, number, object, (id: string) => ServerAnswer]>([
  ['/parts/create', 200, { content: json(part) }, (id) => answerJson(200, { id })],
  ['/parts', 303, location, (id) => ({ status: 303, headers: { Location: `/parts/${id}` }, body: '' })],
])('a POST to %s that is answered %d creates a resource', async (path, status, created, answer) => {
  expect(await check(created, answer, true, { path, status })).toEqual([]);
  expect(await check(created, answer, false, { path, status })).toEqual(['ensure_resource_availability getPart']);
});

test('a resource that is created below another resource is not read if its identity is unknown', async () => {
  expect(await check({ content: json(other) }, (id) => answerJson(201, { id }), false)).toEqual([]);
  const elsewhere = (id: string): ServerAnswer => answerJson(201, { id }, { Location: `/things/1/parts/${id}` });
  expect(await check({ content: json(other), ...location }, elsewhere, false)).toEqual([]);
});
