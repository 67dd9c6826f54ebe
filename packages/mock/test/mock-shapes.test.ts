import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startMock, type Mock } from '../src/start-mock.ts';

const json = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;
const ref = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;
const listOf = (name: string): string => `{ type: array, items: ${ref(name)} }`;
const dataOf = (schema: string): string => `{ type: object, required: [data], properties: { data: ${schema} } }`;
const parameter = (name: string, schema: string, place = 'query'): string =>
  `{ name: '${name}', in: ${place}, required: ${String(place === 'path')}, schema: ${schema} }`;
const FAILURE = "default: { $ref: '#/components/responses/Problem' }";
const INTEGER = '{ type: integer }';

/** Returns the operations on a collection of tasks, with a style of lists. */
const tasks = (path: string, query: readonly string[], list: string): string => `
  /${path}:
    get: { operationId: list-${path}, parameters: [${query.join()}], responses: { '200': { description: Ok, ${json(list)} }, ${FAILURE} } }
    post: { operationId: add-${path}, parameters: [${parameter('Idempotency-Key', '{ type: string }', 'header')}], requestBody: { required: true, ${json(ref('NewTask'))} }, responses: { '201': { description: Ok, ${json(ref('Task'))} }, '400': { description: No }, '422': { description: No }, ${FAILURE} } }
    put: { operationId: put-${path}, requestBody: { required: true, ${json('{ type: object, properties: { id: { type: integer }, title: { type: string } } }')} }, responses: { '200': { description: Ok, ${json(ref('Task'))} }, ${FAILURE} } }
  /${path}/{id}:
    parameters: [${parameter('id', INTEGER, 'path')}]
    get: { operationId: get-${path}, responses: { '200': { description: Ok, ${json(ref('Task'))} }, ${FAILURE} } }
    patch: { operationId: patch-${path}, requestBody: { required: true, content: { application/json-patch+json: { schema: { type: array } }, application/merge-patch+json: { schema: { type: object } } } }, responses: { '200': { description: Ok, ${json(ref('Task'))} }, ${FAILURE} } }
    delete: { operationId: delete-${path}, responses: { '204': { description: Ok }, ${FAILURE} } }
  /${path}/{id}/archive:
    parameters: [${parameter('id', INTEGER, 'path')}]
    post: { operationId: archive-${path}, responses: { '204': { description: Archived. }, ${FAILURE} } }
  /${path}/{taskId}/notes:
    parameters: [${parameter('taskId', INTEGER, 'path')}]
    get: { operationId: list-notes-${path}, responses: { '200': { description: Ok, ${json(listOf('Note'))} }, ${FAILURE} } }
    post: { operationId: add-note-${path}, requestBody: { required: true, ${json('{ type: object, properties: { text: { type: string } } }')} }, responses: { '201': { description: Ok, ${json(ref('Note'))} }, ${FAILURE} } }`;

/** Returns the operations on a single resource. */
const single = (path: string, schema: string): string => `
  /${path}:
    get: { operationId: get-${path}, responses: { '200': { description: Ok, ${json(schema)} }, ${FAILURE} } }
    put: { operationId: put-${path}, requestBody: { required: true, ${json(schema)} }, responses: { '204': { description: Ok } } }
    patch: { operationId: patch-${path}, requestBody: { required: true, ${json(schema)} }, responses: { '204': { description: Ok } } }
    delete: { operationId: delete-${path}, responses: { '204': { description: Ok } } }`;

/** Returns the operations on an object of resources, and on the resources. */
const map = (path: string, whole: string, member: string): string => `
  ${single(path, whole).trim()}
  /${path}/{key}:
    parameters: [${parameter('key', '{ type: string }', 'path')}]
    get: { operationId: get-${path}-item, responses: { '200': { description: Ok, ${json(member)} }, ${FAILURE} } }
    put: { operationId: put-${path}-item, requestBody: { required: true, ${json(member)} }, responses: { '201': { description: Ok }, '204': { description: Ok } } }
    delete: { operationId: delete-${path}-item, responses: { '204': { description: Ok } } }`;

const HOLDER = "{ $ref: '#/components/responses/Holder' }";
/** Two resources whose responses are the same response object. */
const holders = [
  ['owners', 'name', 'Owner'],
  ['pictures', 'code', 'Picture'],
]
  .map(
    ([path = '', id = '', name = '']) => `
  /${path}:
    post: { operationId: add-${path}, requestBody: { required: true, ${json(ref(name))} }, responses: { '201': ${HOLDER} } }
  /${path}/{${id}}:
    parameters: [${parameter(id, '{ type: string }', 'path')}]
    get: { operationId: get-${path}, responses: { '200': ${HOLDER} } }`,
  )
  .join('');

const DOCUMENT = `
openapi: 3.1.0
info: { title: Tasks, version: 1.0.0 }
security: []
paths:
  ${tasks('numbered', [parameter('page', INTEGER), parameter('page_size', INTEGER), parameter('state', '{ type: string, enum: [open, closed, all] }'), parameter('size', '{ type: string, enum: [S, M] }')], listOf('Task'))}
  ${tasks('timed', [parameter('created_after', '{ type: string, format: date-time }'), parameter('page', '{ type: integer, default: 1 }'), parameter('per_page', '{ type: integer, default: 2 }')], `{ type: object, properties: { items: ${listOf('Task')}, has_more: { type: boolean } } }`)}
  ${tasks('embedded', [], `{ type: object, required: [_embedded], properties: { _embedded: { type: object, required: [tasks], properties: { tasks: ${listOf('Task')} } }, warnings: { type: array, items: { type: string } } } }`)}
  ${tasks('bracketed', [parameter('page[number]', '{ type: integer, minimum: 1 }'), parameter('page[size]', INTEGER), parameter('filter[title]', '{ type: string }')], `{ type: object, properties: { data: ${listOf('Task')} } }`)}
  ${tasks('sliced', [parameter('page', '{ type: integer, default: 0 }'), parameter('size', '{ type: integer, default: 20 }')], `{ type: object, required: [content, number, size, first, last], properties: { content: ${listOf('Task')}, number: ${INTEGER}, size: ${INTEGER}, first: { type: boolean }, last: { type: boolean } } }`)}
  ${tasks('followed', [parameter('cursor', INTEGER), parameter('limit', INTEGER), parameter('sort', '{ type: string }')], `{ type: object, required: [data], properties: { data: ${listOf('Task')}, next_cursor: ${INTEGER} } }`)}
  ${tasks('linked', [parameter('cursor', INTEGER), parameter('limit', INTEGER)], `{ type: object, required: [data, meta, _links], properties: { data: ${listOf('Task')}, meta: { type: object, required: [paging], properties: { paging: { type: object, properties: { nextCursor: ${INTEGER} } } } }, _links: { type: object, properties: { next: { type: object, required: [href], properties: { href: { type: string, format: uri } } } } } } }`)}
  ${tasks('named', [], `{ type: object, required: [taskIds], properties: { taskIds: { type: array, items: { type: string, example: '1' } } } }`)}
  ${holders}
  ${map('labels', '{ type: object, additionalProperties: { type: string }, example: { a: x } }', '{ type: string }')}
  ${map('parts', `{ type: object, additionalProperties: ${ref('Part')}, example: { a: { size: x } } }`, ref('Part'))}
  ${map('examples', `{ type: object, properties: { one: ${ref('Part')}, other: ${ref('Part')} }, example: { a: { size: x } } }`, ref('Part'))}
  ${single('notepad', '{ type: object, example: { a: 1 } }')}
  ${single('motto', '{ type: string }')}
  ${single('level', "{ type: [integer, 'null'], maximum: 9 }")}
  ${single('flag', '{ type: boolean }')}
  ${single('colors', '{ type: array, items: { type: string } }')}
  /articles:
    get: { operationId: list-articles, parameters: [${parameter('sort', '{ type: string }')}, ${parameter('filter[title]', '{ type: string }')}], responses: { '200': { description: Ok, ${json(`{ type: object, required: [data], properties: { data: ${listOf('Article')} } }`)} } } }
    post: { operationId: add-article, requestBody: { required: true, ${json(dataOf(ref('Article')))} }, responses: { '201': { description: Ok, ${json(dataOf(ref('Article')))} } } }
  /articles/{id}:
    parameters: [${parameter('id', '{ type: string }', 'path')}]
    get: { operationId: get-article, responses: { '200': { description: Ok, ${json(dataOf(ref('Article')))} } } }
    patch: { operationId: patch-article, requestBody: { required: true, ${json(dataOf(ref('Article')))} }, responses: { '204': { description: Ok } } }
  /chairs:
    post: { operationId: add-chair, requestBody: { required: true, ${json(ref('Chair'))} }, responses: { '201': { description: Ok, ${json(ref('Chair'))} } } }
  /chairs/{id}:
    parameters: [${parameter('id', '{ type: string }', 'path')}]
    get: { operationId: get-chair, responses: { '200': { description: Ok, ${json(ref('Chair'))} } } }
  /tickets:
    post: { operationId: add-ticket, requestBody: { required: true, ${json(ref('NewTask'))} }, responses: { '201': { description: Ok, ${json('{ type: object, required: [id], properties: { id: { type: string } } }')} } } }
  /tickets/{id}:
    parameters: [${parameter('id', INTEGER, 'path')}]
    get: { operationId: get-ticket, responses: { '200': { description: Ok, ${json(ref('Task'))} } } }
  /me:
    get: { operationId: getMe, responses: { '200': { description: Ok, ${json(ref('Task'))} } } }
    patch: { operationId: patchMe, requestBody: { required: true, ${json(ref('NewTask'))} }, responses: { '204': { description: Ok } } }
  /limited:
    get:
      operationId: limited
      parameters: [${parameter('page', INTEGER)}]
      responses: { '204': { description: Ok }, '400': { description: No., headers: { X-Server: { required: true, schema: { enum: [a7] } } } } }
components:
  responses:
    Holder: { description: Ok, ${json(`{ type: object, properties: { owner: ${ref('Owner')}, picture: ${ref('Picture')} } }`)} }
    Problem: { description: No., content: { application/json: { schema: { type: object, required: [message], properties: { message: { type: string } } } } } }
  schemas:
    Chair: { type: object, required: [id], properties: { id: { type: integer, readOnly: true }, legs: { type: integer } } }
    NewTask: { type: object, required: [title], properties: { title: { type: string }, state: { type: string, enum: [open, closed] }, size: { type: string, enum: [S, M] }, hours: ${INTEGER} } }
    Task: { allOf: [${ref('NewTask')}, { type: object, required: [id, state, hours], properties: { id: ${INTEGER} } }] }
    Article: { type: object, required: [type, attributes], properties: { type: { enum: [articles] }, id: { type: string, readOnly: true }, attributes: { type: object, properties: { title: { type: string }, hours: ${INTEGER} } } } }
    Owner: { type: object, required: [name], properties: { name: { type: string }, age: ${INTEGER} } }
    Part: { type: object, required: [size], properties: { size: { type: string }, age: ${INTEGER} } }
    Picture: { type: object, required: [code], properties: { code: { type: string }, title: { type: string } } }
    Note: { type: object, required: [id, text, taskId], properties: { id: ${INTEGER}, text: { type: string }, taskId: ${INTEGER} } }
`;

let mock: Mock;
beforeAll(async () => {
  const path = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(path, DOCUMENT);
  mock = await startMock(path);
  for (const path of ['numbered', 'timed', 'embedded', 'bracketed', 'sliced', 'followed', 'linked'])
    for (const title of ['a', 'b', 'c', 'd', 'e'])
      await send(`/${path}`, { title, ...(title === 'a' && { size: 'S' }) });
});

afterAll(() => mock.close());

const JSON_TYPE = 'application/json';
async function send(target: string, body?: unknown, method = body === undefined ? 'GET' : 'POST', type = JSON_TYPE) {
  const init = { method, headers: { 'Content-Type': type }, ...(body !== undefined && { body: JSON.stringify(body) }) };
  const response = await fetch(mock.url + target, init);
  const text = await response.text();
  const { status, headers } = response;
  return { status, headers, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

const titles = (items: unknown): unknown =>
  (items as readonly { readonly title: string }[]).map(({ title }) => title).join('');

test('a generated member that only responses require is stable for each resource', async () => {
  const { body } = await send('/numbered', { title: 'f' });
  const { id, state } = body as { readonly id: number; readonly state: string };
  expect((await send(`/numbered/${String(id)}`)).body).toEqual(body);
  expect((await send(`/numbered?page_size=100&state=${state}`)).body).toContainEqual(body);
  expect((await send(`/numbered?page_size=100&state=all`)).body).toContainEqual(body);
  await send(`/numbered/${String(id)}`, undefined, 'DELETE');
});

test('pages begin with 1 by default, and an enum such as a size is a filter', async () => {
  expect(titles((await send('/numbered?page_size=2&page=1')).body)).toBe('ab');
  expect(titles((await send('/numbered?page_size=2&page=3')).body)).toBe('e');
  expect(titles((await send('/numbered?size=S')).body)).toBe('a');
});

test('a filter by time is not a cursor: the list indicates more pages', async () => {
  const { body } = await send('/timed');
  expect(body).toMatchObject({ items: { length: 2 }, has_more: true });
});

test('a list inside another object is filled', async () => {
  const { body } = await send('/embedded');
  expect(titles((body as { readonly _embedded: { readonly tasks: unknown } })._embedded.tasks)).toBe('abcde');
});

test('a list of ids has the ids of the resources', async () => {
  const created = [await send('/named', { title: 'a' }), await send('/named', { title: 'b' })];
  const taskIds = created.map(({ body }) => String((body as { readonly id: number }).id));
  expect((await send('/named')).body).toEqual({ taskIds });
});

test('parameters with brackets select pages and filter', async () => {
  const { body } = await send('/bracketed?page%5Bnumber%5D=2&page%5Bsize%5D=2');
  expect(titles((body as { readonly data: unknown }).data)).toBe('cd');
  const { body: found } = await send('/bracketed?filter%5Btitle%5D=c');
  expect(titles((found as { readonly data: unknown }).data)).toBe('c');
});

test('a page continues after its cursor, even if the previous item was deleted', async () => {
  type Listing = { readonly data: readonly { readonly id: number }[]; readonly next_cursor?: number };
  const page = async (cursor?: number): Promise<Listing> => {
    const place = cursor === undefined ? '' : `&cursor=${String(cursor)}`;
    return (await send(`/followed?limit=1&sort=-title${place}`)).body as Listing;
  };
  const { data, next_cursor: next } = await page((await page()).next_cursor);
  expect(titles(data)).toBe('d');
  await send(`/followed/${String(data[0]?.id)}`, undefined, 'DELETE');
  expect(titles((await page(next)).data)).toBe('c');
});

test('the next page is where the document has it: a cursor and a link object below other objects', async () => {
  type Listing = {
    readonly data: unknown;
    readonly meta: { readonly paging: { readonly nextCursor?: number } };
    readonly _links: { readonly next?: { readonly href: string } };
  };
  const page = async (query: string): Promise<Listing> => (await send(`/linked?limit=2${query}`)).body as Listing;
  const { meta, _links: links } = await page('');
  const next = (await (await fetch(String(links.next?.href))).json()) as Listing;
  expect(titles(next.data)).toBe('cd');
  expect(await page(`&cursor=${String(meta.paging.nextCursor)}`)).toEqual(next);
  const last = await page(`&cursor=${String(next.meta.paging.nextCursor)}`);
  expect(last).toEqual({ data: [expect.objectContaining({ title: 'e' })], meta: { paging: {} }, _links: {} });
});

test('resources in different members of one response are read as written', async () => {
  await send('/owners', { name: 'ann', age: 3 });
  await send('/pictures', { code: 'p1', title: 'Fern' });
  expect((await send('/owners/ann')).body).toMatchObject({ owner: { name: 'ann', age: 3 } });
  expect((await send('/pictures/p1')).body).toMatchObject({ picture: { code: 'p1', title: 'Fern' } });
});

test('a page indicates whether it is the first or the last page', async () => {
  expect((await send('/sliced?size=2')).body).toMatchObject({ number: 0, size: 2, first: true, last: false });
  expect((await send('/sliced?size=2&page=2')).body).toMatchObject({ number: 2, size: 2, first: false, last: true });
});

test('an Idempotency-Key with a different body is rejected with the documented status: 201, 201, 422', async () => {
  const create = (title: string): Promise<Response> => {
    const headers = { 'Content-Type': JSON_TYPE, 'Idempotency-Key': 'a' };
    return fetch(`${mock.url}/numbered`, { method: 'POST', headers, body: JSON.stringify({ title }) });
  };
  const created = await create('g');
  const { id } = (await created.json()) as { readonly id: number };
  expect([created.status, (await create('g')).status, (await create('h')).status]).toEqual([201, 201, 422]);
  await send(`/numbered/${String(id)}`, undefined, 'DELETE');
});

test('members in data.attributes (JSON:API) are read as written, merged, sorted and filtered', async () => {
  const articleOf = (attributes: object): object => ({ data: { type: 'articles', attributes } });
  const create = async (attributes: object): Promise<{ readonly id: string }> => {
    const { body } = await send('/articles', articleOf(attributes));
    return (body as { readonly data: { readonly id: string } }).data;
  };
  const article = await create({ title: 'b', hours: 2 });
  expect(article).toEqual({ type: 'articles', id: article.id, attributes: { title: 'b', hours: 2 } });
  expect((await send(`/articles/${article.id}`, articleOf({ hours: 3 }), 'PATCH')).status).toBe(204);
  const changed = { ...article, attributes: { title: 'b', hours: 3 } };
  expect((await send(`/articles/${article.id}`)).body).toEqual({ data: changed });
  const other = await create({ title: 'a', hours: 1 });
  expect((await send('/articles?sort=title')).body).toEqual({ data: [other, changed] });
  for (const sort of ['-title', 'title:desc', 'title__DESCENDING', `${'_'.repeat(9_000)},-title`])
    expect((await send(`/articles?sort=${sort}`)).body).toEqual({ data: [changed, other] });
  expect((await send('/articles?filter%5Btitle%5D=b')).body).toEqual({ data: [changed] });
});

test('a resource has the id of its parent', async () => {
  const { body } = await send('/timed/2/notes', { text: 'soon' });
  expect(body).toEqual({ id: 1, text: 'soon', taskId: 2 });
  expect((await send('/timed/2/notes')).body).toEqual([body]);
});

test('an id is a number or a string in different responses, as documented', async () => {
  expect((await send('/tickets', { title: 'a' })).body).toEqual({ id: '1' });
  expect((await send('/tickets/1')).body).toMatchObject({ id: 1, title: 'a' });
});

test('each resource has an id of its own where the id in the path is a string and the member a number', async () => {
  expect((await send('/chairs', { legs: 3 })).body).toEqual({ id: 1, legs: 3 });
  expect((await send('/chairs', { legs: 4 })).body).toEqual({ id: 2, legs: 4 });
  expect((await send('/chairs/1')).body).toEqual({ id: 1, legs: 3 });
});

const JSON_PATCH = 'application/json-patch+json';

test('actions and JSON patches of a missing resource fail: 404', async () => {
  expect((await send('/timed/2/archive', {})).status).toBe(204);
  expect((await send('/timed/99/archive', {})).status).toBe(404);
  expect((await send('/timed/99', [], 'PATCH', JSON_PATCH)).status).toBe(404);
});

const at = (path: string, rest: object = {}): object => ({ path, ...rest });

test.each<[name: string, operations: readonly object[], changed: object | undefined]>([
  ['no operation', [], {}],
  [
    'a member',
    [
      { op: 'replace', ...at('/title', { value: 'z' }) },
      { op: 'add', ...at('/size', { value: 'M' }) },
    ],
    { title: 'z', size: 'M' },
  ],
  [
    'an item',
    [
      { op: 'add', ...at('/tags/0', { value: 'c' }) },
      { op: 'add', ...at('/tags/-', { value: 'd' }) },
      { op: 'remove', ...at('/tags/1') },
    ],
    { tags: ['c', 'b', 'd'] },
  ],
  [
    'moved and copied members',
    [
      { op: 'move', ...at('/a~1b', { from: '/title' }) },
      { op: 'copy', ...at('/title', { from: '/tags/1' }) },
    ],
    { title: 'b', 'a/b': 'a' },
  ],
  [
    'a test that holds',
    [
      { op: 'test', ...at('/tags', { value: ['a', 'b'] }) },
      { op: 'replace', ...at('/title', { value: 'z' }) },
    ],
    { title: 'z' },
  ],
  [
    'a test that fails',
    [
      { op: 'replace', ...at('/title', { value: 'z' }) },
      { op: 'test', ...at('/title', { value: 'a' }) },
    ],
    undefined,
  ],
  ['a missing member', [{ op: 'remove', ...at('/none') }], undefined],
  ['an item moved to the end', [{ op: 'move', ...at('/tags/-', { from: '/tags/0' }) }], { tags: ['b', 'a'] }],
  ['an item beyond the end', [{ op: 'add', ...at('/tags/9', { value: 'c' }) }], undefined],
  ['an index with a leading zero', [{ op: 'replace', ...at('/tags/00', { value: 'c' }) }], undefined],
  ['an escape that pointers do not have', [{ op: 'add', ...at('/a~2', { value: 'c' }) }], undefined],
  ['no value', [{ op: 'replace', ...at('/title') }], undefined],
  ['an invalid member', [{ op: 'replace', ...at('/title', { value: 7 }) }], undefined],
  [
    'forty copies of the resource into itself',
    Array.from({ length: 40 }, (_, index) => ({ op: 'copy', ...at(`/copy${String(index)}`, { from: '' }) })),
    undefined,
  ],
  ['no object', [{ op: 'replace', ...at('', { value: 7 }) }], undefined],
])('a JSON patch is applied as a whole: %s', async (_name, operations, changed) => {
  const made = { id: 2, title: 'a', state: 'open', hours: 1, tags: ['a', 'b'] };
  mock.replaceState({ ...mock.state(), '/timed': [made] });
  const { status } = await send('/timed/2', operations, 'PATCH', JSON_PATCH);
  expect(status).toBe(changed === undefined ? 400 : 200);
  expect(mock.state()['/timed']).toEqual([{ ...made, ...changed }]);
});

test('a null in a merge patch removes a member that must not be null', async () => {
  const made = { id: 2, title: 'a', state: 'open', hours: 1 };
  mock.replaceState({ ...mock.state(), '/timed': [{ ...made, size: 'S' }] });
  expect((await send('/timed/2', { size: null }, 'PATCH', 'application/merge-patch+json')).body).toEqual(made);
  expect(mock.state()['/timed']).toEqual([made]);
});

test('a member without which a resource is invalid is generated once, for lists and reads', async () => {
  mock.replaceState({ ...mock.state(), '/numbered': [{ id: 2, title: 'a' }] });
  expect((await send('/numbered')).body).toEqual([(await send('/numbered/2')).body]);
});

test('a PATCH of a singleton without PUT is stored', async () => {
  const { body } = await send('/me');
  expect((await send('/me', { title: 'h' }, 'PATCH')).status).toBe(204);
  expect((await send('/me')).body).toEqual({ ...(body as object), title: 'h' });
});

test.each<[name: string, ...values: [unknown, unknown]]>([
  ['motto', 'a', ''],
  ['level', 0, 9],
  ['flag', false, true],
  ['colors', ['red', 'blue'], []],
])('a single resource may be a value: /%s is read as written, until it is deleted', async (name, first, second) => {
  const path = `/${name}`;
  expect((await send(path)).status).toBe(200);
  for (const [method, value] of [
    ['PUT', first],
    ['PATCH', second],
    ['PUT', first],
  ] as const) {
    expect((await send(path, value, method)).status).toBe(204);
    expect(await send(path)).toMatchObject({ status: 200, body: value });
    expect(mock.state()[path]).toEqual(value);
  }
  mock.replaceState({ ...mock.state(), [path]: second });
  expect((await send(path)).body).toEqual(second);
  expect(() => {
    mock.replaceState({ [path]: {} });
  }).toThrow(`${path} must be a value of its schema`);
  expect((await send(path, undefined, 'DELETE')).status).toBe(204);
  expect((await send(path)).status).toBe(404);
});

test.each<[name: string, ...values: [unknown, unknown, unknown]]>([
  ['labels', 'x', 'y', 'z'],
  ['parts', { size: 'x' }, { size: 'y' }, { size: 'z', age: 1 }],
  ['examples', { size: 'x' }, { size: 'y' }, { size: 'z', age: 1 }],
])('members of an object are resources: /%s and the paths below it', async (name, first, second, third) => {
  const path = `/${name}`;
  const read = async (place = path): Promise<unknown> => (await send(place)).body;
  if (name !== 'examples') expect([await read(), await read(`${path}/a`)]).toEqual([{ a: first }, first]);
  expect((await send(path, { b: second, 'c/d%': third }, 'PUT')).status).toBe(204);
  expect(await read()).toEqual({ b: second, 'c/d%': third });
  expect([await read(`${path}/b`), await read(`${path}/c%2Fd%25`)]).toEqual([second, third]);
  expect((await send(`${path}/a`)).status).toBe(404);
  expect((await send(`${path}/e`, first, 'PUT')).status).toBe(201);
  expect((await send(`${path}/b`, undefined, 'DELETE')).status).toBe(204);
  expect(await read()).toEqual({ 'c/d%': third, e: first });
  const state = mock.state();
  expect((await send(path, undefined, 'DELETE')).status).toBe(204);
  expect([(await send(path)).status, (await send(`${path}/e`)).status]).toEqual([404, 404]);
  mock.replaceState({ ...state, [path]: { f: second } });
  expect(await read()).toEqual({ 'c/d%': third, e: first, f: second });
});

test('a PUT of an object without described members replaces all members', async () => {
  for (const value of [{ b: 2 }, { c: 3 }]) {
    expect((await send('/notepad', value, 'PUT')).status).toBe(204);
    expect((await send('/notepad')).body).toEqual(value);
  }
});

test('a PUT to the collection replaces the resource with the id in the body: 200, 404', async () => {
  const replaced = await send('/sliced', { id: 2, title: 'g' }, 'PUT');
  expect(replaced).toMatchObject({ status: 200, body: { id: 2, title: 'g' } });
  expect((await send('/sliced/2')).body).toEqual(replaced.body);
  expect((await send('/sliced', { id: 99, title: 'g' }, 'PUT')).status).toBe(404);
  expect((await send('/sliced', { title: 'g' }, 'PUT')).status).toBe(404);
});

test('a failure has the headers that the document requires', async () => {
  const { status, headers } = await send('/limited?page=x');
  expect([status, headers.get('x-server')]).toEqual([400, 'a7']);
});
