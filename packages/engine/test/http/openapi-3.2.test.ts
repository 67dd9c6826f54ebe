import type { AnyReply } from '../../src/http/reply/response.ts';
import type { ValidRequest } from '../../src/http/handle/validate-request.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf } from '@contract-first/testing/contract.ts';

const NO_CONTENT = "responses: { '204': { summary: Done } }";
const FILTER =
  '{ type: object, required: [name], properties: { name: { type: string }, size: { type: integer, format: int64 } } }';

const bodyOf = (body: string, contentType = 'application/json'): RequestInit => ({
  body,
  headers: { 'Content-Type': contentType },
});

/**
 * Serves a document with one path item in YAML. Returns a function that sends requests, and the input of the handlers.
 */
async function serve(pathItem: string, reply: AnyReply = { status: 204 }, rest = '') {
  const received: ValidRequest[] = [];
  const contract = await contractOf(`
openapi: 3.2.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /a:
${pathItem.replaceAll(/^/gm, '    ')}
${rest}`);
  const handler = (got: never): Promise<AnyReply> => {
    received.push(got);
    return Promise.resolve(reply);
  };
  const handlers = Object.fromEntries(Object.keys(contract.operations).map((name) => [name, handler]));
  const service = await createTestApp({ contract, handlers });
  const { url } = await service.serve();
  const send = async (method: string, query = '', content: RequestInit = {}) => {
    const response = await fetch(`${url}/a${query}`, { method, ...content });
    return { status: response.status, text: await response.text(), allow: response.headers.get('allow') };
  };
  return { contract, received, send };
}

const query = `query: { requestBody: { required: true, content: { application/json: { schema: ${FILTER} } } }, ${NO_CONTENT} }`;

test('the method QUERY is served with its body, under a derived operationId', async () => {
  const { send, received, contract } = await serve(query);
  expect(await send('QUERY', '', bodyOf('{"name":"fern","size":9007199254740993}'))).toMatchObject({ status: 204 });
  expect(received).toMatchObject([{ body: { name: 'fern', size: 9007199254740993n } }]);
  expect(Object.keys(contract.operations)).toEqual(['queryA']);
});

test('the method QUERY: 400 for a nonconforming or missing body', async () => {
  const { send, received } = await serve(query);
  expect(await send('QUERY', '', bodyOf('{"size":1}'))).toMatchObject({
    status: 400,
    text: expect.stringMatching(/'name'/),
  });
  expect(await send('QUERY')).toMatchObject({ status: 400 });
  expect(received).toEqual([]);
});

test('the method QUERY is listed in Allow, and 405 where it is not documented', async () => {
  const { send } = await serve(query);
  expect(await send('GET')).toMatchObject({ status: 405, allow: 'QUERY, OPTIONS' });
  expect(await send('OPTIONS')).toMatchObject({ status: 204, allow: 'QUERY, OPTIONS' });
  const other = await serve(`get: { ${NO_CONTENT} }`);
  expect(await other.send('QUERY')).toMatchObject({ status: 405, allow: 'GET, HEAD, OPTIONS' });
});

test('additionalOperations are served and validated', async () => {
  const parameters = 'parameters: [{ name: to, in: query, required: true, schema: { type: integer } }]';
  const copy = `operationId: copyThing, ${parameters}, ${NO_CONTENT}`;
  const { send, received, contract } = await serve(
    `additionalOperations: { COPY: { ${copy} }, M-SEARCH: { ${NO_CONTENT} } }`,
  );
  expect(await send('COPY', '?to=2')).toMatchObject({ status: 204 });
  expect(await send('M-SEARCH')).toMatchObject({ status: 204 });
  expect(received).toMatchObject([{ query: { to: 2 } }, {}]);
  expect(await send('COPY', '?to=x')).toMatchObject({ status: 400 });
  expect(await send('COPY')).toMatchObject({ status: 400, text: expect.stringMatching(/required property 'to'/) });
  expect(await send('MOVE')).toMatchObject({ status: 405, allow: 'COPY, M-SEARCH, OPTIONS' });
  expect(Object.keys(contract.operations)).toEqual(['copyThing', 'mSearchA']);
});

const get = (content: string, required = false) =>
  `get: { parameters: [{ name: filter, in: querystring, required: ${String(required)}, content: { ${content} } }], ${NO_CONTENT} }`;
const form = `application/x-www-form-urlencoded: { schema: ${FILTER} }`;
const json = `application/json: { schema: ${FILTER} }`;

test.each([
  [form, '?name=a%20b&size=9007199254740993', { name: 'a b', size: 9007199254740993n }],
  [json, `?${encodeURIComponent('{"name":"a+b","size":9007199254740993}')}`, { name: 'a+b', size: 9007199254740993n }],
  ['text/plain: { schema: { type: string } }', '?a%20b', 'a b'],
])('a parameter in querystring is the whole query: %s %s', async (content, query, filter) => {
  const { send, received } = await serve(get(content));
  expect(await send('GET', query)).toMatchObject({ status: 204 });
  expect(await send('GET')).toMatchObject({ status: 204 });
  expect(received.map((request) => request.query)).toEqual([{ filter }, {}]);
});

test.each([
  [form, '?size=1', /query\/filter must have required property 'name'/],
  [form, '?name=a&size=x', /query\/size must be integer/],
  [form, '?name=a&name=b', /query\/name must not be repeated/],
  [json, '?%7B%7D', /query\/filter must have required property 'name'/],
  [json, '?{', /querystring parameter filter is not valid JSON/],
  [json, '', /query must have required property 'filter'/],
])('a parameter in querystring is the whole query: %s %s is refused', async (content, query, problem) => {
  const { send, received } = await serve(get(content, true));
  expect(await send('GET', query)).toMatchObject({ status: 400, text: expect.stringMatching(problem) });
  expect(received).toEqual([]);
});

const post = (mediaType: string, rest = NO_CONTENT) =>
  `post: { requestBody: { required: true, content: { ${mediaType}: { itemSchema: ${FILTER} } } }, ${rest} }`;
const items = [{ name: 'a' }, { name: 'b', size: 9007199254740993n }];

test.each([
  ['application/x-ndjson', '{"name":"a"}\n\n{"name":"b","size":9007199254740993}\n'],
  ['application/jsonl', '{"name":"a"}\r\n{"name":"b","size":9007199254740993}'],
  ['application/geo+json-seq', '\x1E{"name":"a"}\n\x1E{"name":"b","size":9007199254740993}\n'],
])('items of a sequence: %s are a list', async (mediaType, body) => {
  const { send, received } = await serve(post(mediaType));
  expect(await send('POST', '', bodyOf(body, mediaType))).toMatchObject({ status: 204 });
  expect(received).toMatchObject([{ body: items }]);
});

test.each(['\n', '\r\n', '\r'])(
  'items of a sequence: server-sent events are a list, with lines that end in %j',
  async (end) => {
    const itemSchema = '{ type: object, properties: { event: { type: string }, data: { type: string } } }';
    const content = `text/event-stream: { itemSchema: ${itemSchema} }`;
    const { send, received } = await serve(`post: { requestBody: { content: { ${content} } }, ${NO_CONTENT} }`);
    const lines = ['event: grown', 'data: 1', 'data: 2', '', ': a comment', 'data: 3', '', ''];
    expect(await send('POST', '', bodyOf(lines.join(end), 'text/event-stream'))).toMatchObject({ status: 204 });
    expect(received).toEqual([expect.objectContaining({ body: [{ event: 'grown', data: '1\n2' }, { data: '3' }] })]);
  },
);

test.each([
  ['{"name":"a"}\n{"size":1}', /body\/1 must have required property 'name'/],
  ['{"name":"a"}\n{"name":', /body\/1 is not valid JSON/],
  ['{"name":"a"} {"name":"b"}', /body\/0 is not valid JSON/],
  ['{"name":"a","size":9223372036854775808}', /body\/0\/size must be between/],
])('items of a sequence: 400 with the number of the item: %j', async (body, problem) => {
  const { send, received } = await serve(post('application/jsonl'));
  expect(await send('POST', '', bodyOf(body, 'application/jsonl'))).toMatchObject({
    status: 400,
    text: expect.stringMatching(problem),
  });
  expect(received).toEqual([]);
});

test.each<[string, string, unknown, number, string]>([
  ['lines', 'application/jsonl', items, 200, '{"name":"a"}\n{"name":"b","size":9007199254740993}\n'],
  ['records', 'application/json-seq', items, 200, '\x1E{"name":"a"}\n\x1E{"name":"b","size":9007199254740993}\n'],
  ['an empty list', 'application/jsonl', [], 200, ''],
  ['an invalid item', 'application/jsonl', [{ size: 1 }], 500, ''],
  ['text that is not validated', 'application/jsonl', '{"name":"a"}\n', 500, ''],
])('items of a sequence: a reply with %s', async (_name, mediaType, body, status, text) => {
  const content = `content: { ${mediaType}: { $ref: '#/components/mediaTypes/Items' } }`;
  const { send } = await serve(
    `get: { responses: { '200': { ${content} } } }`,
    { status: 200, body },
    `components: { mediaTypes: { Items: { itemSchema: ${FILTER} } } }`,
  );
  const response = await send('GET');
  expect(response.status).toBe(status);
  if (status === 200) expect(response.text).toBe(text);
});

test('cookies in the style cookie are not percent-encoded, and can be lists and objects', async () => {
  const styled = (name: string, schema: string) =>
    `{ name: ${name}, in: cookie, style: cookie, schema: { ${schema} } }`;
  const parameters = [
    styled('plain', 'type: string'),
    styled('list', 'type: array, items: { type: integer }'),
    styled('object', 'type: object, properties: { r: { type: integer }, g: { type: integer } }'),
  ];
  const { send, received } = await serve(`get: { parameters: [${parameters.join(', ')}], ${NO_CONTENT} }`);
  const Cookie = 'plain=a%20b; list=1; list=2; r=3; g=4';
  expect(await send('GET', '', { headers: { Cookie } })).toMatchObject({ status: 204 });
  expect(received).toMatchObject([{ cookies: { plain: 'a%20b', list: [1, 2], object: { r: 3, g: 4 } } }]);
  expect(await send('GET', '', { headers: { Cookie: 'list=x' } })).toMatchObject({ status: 400 });
});
