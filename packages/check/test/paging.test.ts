import { checkContract } from '../src/contract-run.ts';
import { answerJson, startReferenceServer } from './support/reference-server.ts';

// A list of things in pages: by an offset, by the number of a page, or by a link object with a cursor.

type Thing = { readonly id: number; readonly name: unknown };
/** Returns a page of the things. */
type Page = (things: readonly Thing[], start: number, limit: number) => readonly Thing[];

const json = (schema: object) => ({ 'application/json': { schema } });
const thing = {
  type: 'object',
  required: ['name'],
  properties: { id: { type: 'integer', readOnly: true }, name: { type: 'string' } },
};
const none = { description: 'None' };
const some = { description: 'Some', content: json(thing) };
const number = (name: string, minimum: number) => ({ name, in: 'query', schema: { type: 'integer', minimum } });

type By = 'offset' | 'page' | 'cursor';

function documentOf(by: By) {
  const items = { type: 'array', items: thing };
  const next = { type: 'object', properties: { href: { type: 'string' } } };
  const linked = { type: 'object', properties: { data: items, _links: { type: 'object', properties: { next } } } };
  const list = { description: 'All', content: json(by === 'cursor' ? linked : items) };
  return {
    openapi: '3.1.0',
    info: { title: 'Things', version: '1.0.0' },
    security: [],
    paths: {
      '/things': {
        get: {
          operationId: 'listThings',
          parameters: [number('limit', 1), number(by, by === 'page' ? 1 : 0)],
          responses: { '200': list },
        },
        post: {
          operationId: 'createThing',
          requestBody: { required: true, content: json(thing) },
          responses: { '201': some },
        },
      },
      '/things/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { operationId: 'getThing', responses: { '200': some, '404': none } },
      },
    },
  };
}

/** Checks a service whose lists consist of the given pages. */
async function check(by: By, page: Page): Promise<readonly string[]> {
  const things: Thing[] = [];
  const baseUrl = await startReferenceServer(({ method, url, body }) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const [, , id] = pathname.split('/');
    if (method === 'POST') {
      things.push({ name: (JSON.parse(body.toString()) as Thing).name, id: things.length + 1 });
      return answerJson(201, things.at(-1));
    }
    const found = things.find((one) => String(one.id) === id);
    if (id !== undefined) return found ? answerJson(200, found) : { status: 404, headers: {}, body: '' };
    const limit = Number(searchParams.get('limit') ?? 20);
    const offset = searchParams.get('offset') ?? searchParams.get('cursor');
    const start = Number(offset ?? (Number(searchParams.get('page') ?? 1) - 1) * limit);
    const items = page(things, start, limit);
    if (by !== 'cursor') return answerJson(200, items);
    const next = { href: `/things?limit=${String(limit)}&cursor=${String(start + limit)}` };
    return answerJson(200, { data: items, _links: start + limit < things.length ? { next } : {} });
  });
  const checks = new Set(['list_contains_created'] as const);
  const { failures } = await checkContract({ document: documentOf(by), baseUrl, checks, seed: 1, runs: 0 });
  return failures.map(({ message }) => message);
}

const right: Page = (things, start, limit) => things.slice(start, start + limit);

test.each<[string, By, Page, string]>([
  [
    'an offset that counts pages',
    'offset',
    (things, start, limit) => right(things, start * limit, limit),
    'with limit=2, the pages lack "3", which larger pages have',
  ],
  [
    'pages that lack their last item',
    'offset',
    (things, start, limit) => right(things, start, limit > 1 && things.length > start + limit ? limit - 1 : limit),
    'with limit=2, the pages lack "2", which larger pages have',
  ],
  [
    'overlapping pages',
    'page',
    (things, start, limit) => right(things, limit > 1 ? Math.max(0, start - 1) : start, limit),
    'with limit=2, two pages have the item "2"',
  ],
  [
    'a next page that skips an item',
    'cursor',
    (things, start, limit) => right(things, start > 0 ? start + 1 : 0, limit),
    'the list of 2 pages lacks the created 2',
  ],
  [
    'an order that depends on the page',
    'page',
    (things, start, limit) => right(things, start, limit).toSorted((one, other) => (start > 0 ? other.id - one.id : 0)),
    'with limit=2, the order of the items differs from the order with larger pages',
  ],
])('a list with %s fails', async (_name, by, page, message) => {
  expect(await check(by, page)).toEqual([message]);
});

test.each<[string, By, Page]>([
  ['pages by an offset', 'offset', right],
  ['pages by number', 'page', right],
  ['a greatest page size', 'offset', (things, start, limit) => right(things, start, Math.min(limit, 3))],
  ['a link object with the next page', 'cursor', right],
  ['the latest item first', 'page', (things, start, limit) => right(things.toReversed(), start, limit)],
  ['the first page as pages 0 and 1', 'page', (things, start, limit) => right(things, Math.max(0, start), limit)],
])('a list with %s passes', async (_name, by, page) => {
  expect(await check(by, page)).toEqual([]);
});
