import { setTimeout } from 'node:timers/promises';
import type { AnyReply } from '../../src/http/reply/response.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

const MIB = 1_048_576;
// The target is 250 ms; a slow machine needs a margin. Without optimisations, each check takes several seconds.
const MAX_HELD_MS = 1_500;
/** Returns the CPU time of this thread, which is independent of other processes. */
const threadMs = (): number => process.threadCpuUsage().user / 1_000;
const FORM = 'application/x-www-form-urlencoded';

type Case = readonly [name: string, schema: string, body: string, status: number, message?: RegExp];

/** Returns a text of 1 MiB that repeats a piece. */
function fill(piece: string, start = '[', end = ']', separator = ',', size = MIB): string {
  const count = Math.floor((size - start.length - end.length) / (piece.length + separator.length));
  return start + Array.from({ length: count }, () => piece).join(separator) + end;
}

/** Returns a form of 1 MiB with a different name in each field. */
function fillWith(field: (index: number) => string): string {
  return Array.from({ length: 130_000 }, (_, index) => field(index)).join('&');
}

function list(count: number, item: (index: number) => string): string {
  return `[${Array.from({ length: count }, (_, index) => item(index)).join()}]`;
}

const TOO_LONG = /takes too long to validate/;
const STRING = (rest: string): string => `{ type: string, ${rest} }`;
const OPTIONS = Array.from({ length: 6_000 }, (_, index) => `option ${String(index)} of a long list`);
const A_MIB = `"${'a'.repeat(MIB - 10)}"`;
const TWO_KB = `"${'a'.repeat(2_000)}"`;
// Both alternatives check each level.
const ARG = "{ type: object, properties: { c: { $ref: '#/components/schemas/S' } } }";
const TREE = `{ type: object, anyOf: [${ARG}, ${ARG}] }`;

const CASES: readonly Case[] = [
  [
    'unique objects',
    '{ type: array, uniqueItems: true, items: { type: object } }',
    list(10_000, (i) => `{"a":${String(i)}}`),
    204,
  ],
  [
    'unique objects, one twice',
    '{ type: array, uniqueItems: true }',
    `[{"a":1,"b":2},${list(10_000, (i) => `{"a":${String(i + 9)}}`).slice(1, -1)},{"b":2,"a":1}]`,
    400,
    /items ## 0 and 10001 are identical/,
  ],
  [
    'an enum of many',
    `{ type: array, items: { enum: ${JSON.stringify(OPTIONS)} } }`,
    fill(`"${OPTIONS.at(-1) ?? ''}"`),
    204,
  ],
  ['format url', STRING('format: url'), `"http://${fill(':@', '', '', '', MIB - 20)}!"`, 400, TOO_LONG],
  ['format regex', STRING('format: regex'), `"${'(?<a>)|'.repeat(MIB / 8 - 2)}"`, 400, /must match format "regex"/],
  ['numbers with exponents', '{}', fill('[1e1]'), 204],
  [
    'numbers with exponents as int64s',
    '{ type: array, items: { type: array, items: { type: integer, format: int64 } } }',
    fill('[1e1]', '[', ']', ',', MIB / 16),
    204,
  ],
  [
    'long int64s',
    '{ type: array, items: { type: array, items: { type: integer, format: int64 } } }',
    fill('[12345678901234567]', '[', ']', ',', MIB / 16),
    204,
  ],
  ['an exponential pattern', STRING("pattern: '^(a+)+$'"), `"${'a'.repeat(40)}!"`, 400, TOO_LONG],
  ['a quadratic pattern', STRING("pattern: '[^@]+@[^@]+$'"), A_MIB, 400, TOO_LONG],
  ['a cubic pattern after an anchored one', STRING("pattern: '^x|[^@]+[^@]+@$'"), TWO_KB, 400, TOO_LONG],
  [
    'an exponential pattern of keys',
    "{ type: object, patternProperties: { '^(a+)+$': {} } }",
    `{"${'a'.repeat(40)}!":1}`,
    400,
    TOO_LONG,
  ],
  ['a recursive schema with alternatives', TREE, `${'{"c":'.repeat(40)}1${'}'.repeat(40)}`, 400, TOO_LONG],
  [
    'nested unique lists',
    "{ type: array, uniqueItems: true, items: { $ref: '#/components/schemas/S' } }",
    `${'['.repeat(400)}${'[[]],'.repeat(200_000)}[]${']'.repeat(400)}`,
    400,
  ],
  ['many problems', '{ anyOf: [{ type: array, items: { type: string } }, { type: object }] }', fill('1'), 400],
  [
    'a problem below a long name',
    '{ additionalProperties: { type: string } }',
    `{${A_MIB}:1}`,
    400,
    /^body\/a{100,200}… must be string$/,
  ],
];

test.each(CASES)(
  'one request does not block the event loop: %s',
  async (_name, schema, body, status, message = /^/) => {
    const { post } = await serve(
      `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`,
      schema,
    );
    const { response, heldMs } = await post(body, 'application/json');
    expect(response).toEqual([status, expect.stringMatching(message)]);
    expect(heldMs).toBeLessThan(MAX_HELD_MS);
    // The validator still works afterwards.
    expect((await post(body, 'application/json')).response).toEqual(response);
  },
);

test.each([
  ['one list', 'a=1'],
  ['fields of all names', undefined],
  ['__proto__', '__proto__=1'],
])('one request does not block the event loop: 400 for a form with many fields: %s', async (_name, field) => {
  const schema = '{ type: object, properties: { a: { type: array, items: { type: string } } } }';
  const { post } = await serve(`requestBody: { content: { ${FORM}: { schema: ${schema} } } }`, '{}');
  const body = field === undefined ? fillWith((index) => `${index.toString(36)}=1`) : fill(field, '', '', '&');
  const { response, heldMs } = await post(body, FORM);
  expect(response[0]).toBe(400);
  expect(heldMs).toBeLessThan(MAX_HELD_MS);
});

test('one request does not block the event loop: a path with several parameters in a segment', async () => {
  const parameters = ['a', 'b', 'c', 'd'].map((name) => `{ name: ${name}, in: path, required: true, schema: {} }`);
  const operation = `parameters: [${parameters.join()}]\nresponses: { '204': { description: Done. } }`;
  const contract = await contractOf(documentOf('/op/{a}-{b}-{c}.{d}', 'get', operation));
  const { serve: listen } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) } });
  const { url } = await listen();
  const startedMs = threadMs();
  expect((await fetch(`${url}/op/${'a-'.repeat(4_000)}`)).status).toBe(404);
  expect((await fetch(`${url}/op/a-b-c-d.e.f`)).status).toBe(204);
  expect(threadMs() - startedMs).toBeLessThan(MAX_HELD_MS);
});

test('one request does not block the event loop: a parameter with a costly pattern', async () => {
  const { post } = await serve(
    "parameters: [{ name: q, in: query, schema: { type: string, pattern: '^(a+)+$' } }]",
    '{}',
  );
  const { response, heldMs } = await post(undefined, 'text/plain', `?q=${'a'.repeat(40)}!`);
  expect(response).toEqual([400, expect.stringMatching(TOO_LONG)]);
  expect(heldMs).toBeLessThan(MAX_HELD_MS);
});

test('one request does not block the event loop: 500 for a response with a costly pattern', async () => {
  const { post, logged } = await serve(
    '',
    '{}',
    `'200': { description: Done., content: { application/json: { schema: { type: string, pattern: '^(a+)+$' } } } }`,
    {
      status: 200,
      body: `${'a'.repeat(40)}!`,
    },
  );
  const { response, heldMs } = await post(undefined, 'text/plain');
  expect(response[0]).toBe(500);
  expect(JSON.stringify(logged())).toContain('took longer than');
  expect(heldMs).toBeLessThan(MAX_HELD_MS);
});

const UNIQUE = 'requestBody: { content: { application/json: { schema: { type: array, uniqueItems: true } } } }';
test.each([
  ['[{"a":1,"b":2},{"b":2,"a":1}]', 400],
  ['[1,1.0]', 400],
  ['[0,-0]', 400],
  ['[{"__proto__":1},{"__proto__":1}]', 400],
  ['["__proto__","__proto__"]', 400],
  ['[{"toString":1},{"toString":1}]', 400],
  ['[[{"x":[]}],[{"x":[]}]]', 400],
  ['[{"__proto__":1},{}]', 204],
  ['[{"toString":1},{"toString":2},{"valueOf":1}]', 204],
  ['[1,"1",true,null,[],{},[1],["1"],"[]","{}",[[]],0,false,"null",""]', 204],
  ['[{"a":{}},{"a":[]},{"a":"{}"},{"a,b":1},{"a":1,"b":1}]', 204],
])('items are compared as JSON Schema requires: %s: %d', async (body, status) => {
  const { post } = await serve(UNIQUE, '{}');
  expect((await post(body, 'application/json')).response[0]).toBe(status);
});

test.each([
  ['{ const: { a: 1 } }', '{"a":1.0}', 204],
  ['{ const: { a: 1 } }', '{"valueOf":1}', 400],
  ['{ enum: [{ a: 1 }, x] }', '"x"', 204],
  ['{ enum: [{ a: 1 }, x] }', '{"toString":1}', 400],
  ['{ enum: [{ a: 1 }, x] }', '{"a":1}', 204],
])('items are compared as JSON Schema requires: %s takes %s: %d', async (schema, body, status) => {
  const { post } = await serve(`requestBody: { content: { application/json: { schema: ${schema} } } }`, '{}');
  expect((await post(body, 'application/json')).response[0]).toBe(status);
});

test.each([
  ['http://a.bc', 204],
  ['https://user:secret@a-b.example.org:8080/p?q#f@x:y', 204],
  ['ftp://8.8.8.8/', 204],
  ['http://@@a.bc', 204],
  ['http://a@b/@c.de', 204],
  ['http://a.bc/@/ ', 400],
  ['http://@a.bc', 400],
  ['http://10.1.1.1', 400],
  ['http://a b@c.de', 400],
  ['http://a.b', 400],
  ['a.bc', 400],
])('format url: %s: %d', async (url, status) => {
  const schema = 'requestBody: { content: { application/json: { schema: { type: string, format: url } } } }';
  const { post } = await serve(schema, '{}');
  expect((await post(JSON.stringify(url), 'application/json')).response[0]).toBe(status);
});

/** Serves one operation. Returns a function that sends a request and measures how long it blocks the event loop. */
async function serve(
  operation: string,
  schema: string,
  responses = "'204': { description: Done. }",
  reply: AnyReply = { status: 204 },
) {
  const own = operation === '' ? '' : `${operation}\n`;
  const contract = await contractOf(
    documentOf('/op', 'post', `${own}responses: { ${responses} }`, `components: { schemas: { S: ${schema} } }`),
  );
  const { serve: listen, logged } = await createTestApp({
    contract,
    handlers: { op: async () => reply },
    bodyLimitBytes: MIB,
  });
  const { url } = await listen();
  const send = async (body: string | undefined, contentType: string, query = '') => {
    const headers = { 'content-type': contentType };
    const answer = await fetch(`${url}/op${query}`, {
      method: 'POST',
      headers,
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    return [answer.status, answer.status === 400 ? (JSON.parse(text) as { detail: string }).detail : text] as const;
  };
  await send('null', 'application/json'); // The first request compiles the schemas.
  const post = async (...request: Parameters<typeof send>) => {
    let heldMs = 0;
    let last = threadMs();
    const timer = setInterval(() => {
      const now = threadMs();
      heldMs = Math.max(heldMs, now - last);
      last = now;
    }, 1);
    const response = await send(...request);
    await setTimeout(5);
    clearInterval(timer);
    return { response, heldMs };
  };
  return { post, logged: () => logged };
}
