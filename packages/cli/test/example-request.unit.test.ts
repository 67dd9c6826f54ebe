import { compiledOf } from '@contract-first/testing/contract.ts';
import { exampleRequest } from '../src/generate/example-request.ts';

test.each<[string, Record<string, object>, string]>([
  ['an allOf of itself', { Body: { allOf: [{ $ref: '#/components/schemas/Body' }] } }, ''],
  [
    'itself as a member',
    {
      Body: {
        type: 'object',
        required: ['child', 'n'],
        properties: { child: { $ref: '#/components/schemas/Body' }, n: { type: 'integer' } },
      },
    },
    '"text"',
  ],
  ['a format that objects inherit', { Body: { type: 'string', format: 'constructor' } }, '"a"'],
  ['more members than can be counted', Object.fromEntries(ladder()), '"text"'],
])('the example of a body of %s is made at once', async (_name, schemas, body) => {
  const schema = { $ref: '#/components/schemas/Body' };
  const requestBody = { content: { 'application/json': { schema } } };
  const op = { operationId: 'op', requestBody, responses: { '204': { description: 'Done.' } } };
  const info = { title: 'Test', version: '1.0.0' };
  const document = { openapi: '3.1.0', info, paths: { '/a': { post: op } }, components: { schemas } };
  const request = exampleRequest(await compiledOf(JSON.stringify(document)));
  expect(request?.options[0]).toEqual(['-H', 'Content-Type: application/json']);
  expect(request?.options[1]?.[1].startsWith(body)).toBe(true);
  expect(JSON.stringify(request).length).toBeLessThan(50_000);
});

test.each<[Record<string, readonly string[]>, string]>([
  [{ '/pet': ['put', 'post'] }, 'POST /pet'],
  [{ '/pet/{id}': ['get'], '/pets': ['get'] }, 'GET /pets'],
  [{ '/pet/{id}': ['delete', 'get'] }, 'DELETE /pet/a'],
])(
  'of %j, the example is the first operation that needs no resource, or else the first: %s',
  async (paths, expected) => {
    const id = { name: 'id', in: 'path', required: true, schema: { type: 'string', const: 'a' } };
    const operation = (path: string, method: string) => ({
      operationId: `${method} ${path}`,
      parameters: path.includes('{') ? [id] : [],
      responses: { '204': { description: 'Done.' } },
    });
    const items = Object.entries(paths).map(
      ([path, methods]) => [path, Object.fromEntries(methods.map((name) => [name, operation(path, name)]))] as const,
    );
    const document = { openapi: '3.1.0', info: { title: 'Pets', version: '1.0.0' }, paths: Object.fromEntries(items) };
    const request = exampleRequest(await compiledOf(JSON.stringify(document)));
    expect(`${String(request?.method)} ${String(request?.target)}`).toBe(expected);
  },
);

/** Returns 28 schemas, each but the last with two members that refer to the next one. */
function ladder(): (readonly [string, object])[] {
  return Array.from({ length: 28 }, (_, index) => {
    if (index === 27) return ['Body27', { type: 'object' }];
    const next = { $ref: `#/components/schemas/Body${String(index + 1)}` };
    return [
      `Body${index === 0 ? '' : String(index)}`,
      { type: 'object', required: ['a', 'b'], properties: { a: next, b: next } },
    ];
  });
}
