import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatDiagnostic } from '@contract-first/documents';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { compiledOf } from '@contract-first/testing/contract.ts';
import { exampleRequest } from '../src/scaffolds/example-request.ts';
import { renderContract } from '../../generate/src/render.ts';

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
  ['an enumeration of no values', { Body: { enum: [] } }, '"text"'],
  ['a format that objects inherit', { Body: { type: 'string', format: 'constructor' } }, '"a"'],
  [
    'a pattern whose classes take a second to prepare',
    {
      Body: {
        type: 'string',
        pattern: String.raw`^\p{L}\p{N}\p{P}\p{S}\p{Z}\p{M}\p{Lu}\p{Ll}\p{Nd}\p{Sm}\p{Sc}\p{Pd}$`,
      },
    },
    '"A0!$',
  ],
  [
    'a pattern of a character that does not exist',
    { Body: { type: 'string', pattern: String.raw`[^\s\S]` } },
    '"text"',
  ],
  [
    'a long host name',
    { Body: { type: 'string', format: 'hostname', minLength: 30 } },
    `"${'a'.repeat(18)}.example.com"`,
  ],
  [
    'a pattern with assertions',
    { Body: { type: 'string', pattern: String.raw`^(?=.*\d)(?!0)[\da-f]{4}\b` } },
    '"aaa0"',
  ],
  ['a pattern of nested repetitions', { Body: { type: 'string', pattern: '^(([a-z]*)*)*$' } }, '"a"'],
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

test.each<[string, object, string]>([
  ['a long text', { type: 'string', minLength: 2_000_000_000 }, 'body'],
  ['many items', { type: 'array', minItems: 100_000_000 }, 'body'],
  ['a pattern of repetitions', { type: 'string', pattern: '^((a{1000}){1000}){1000}$' }, 'query'],
])('a document without an example that can be shown is generated with a warning: %s', async (_name, schema, place) => {
  const parameters = place === 'query' ? [{ name: 'q', in: 'query', required: true, schema }] : [];
  const requestBody = place === 'body' ? { requestBody: { content: { 'application/json': { schema } } } } : {};
  const op = { operationId: 'op', parameters, ...requestBody, responses: { '204': { description: 'Done.' } } };
  const path = join(temporaryFolder(), 'openapi.yaml');
  const info = { title: 'Test', version: '1.0.0' };
  writeFileSync(path, JSON.stringify({ openapi: '3.1.0', info, security: [], paths: { '/a': { post: op } } }));
  const { files, diagnostics } = await renderContract(path);
  expect(files?.['contract.json']).not.toContain('"example"');
  expect(diagnostics.map(formatDiagnostic).join('\n')).toMatch(
    /#\/paths\/~1a\/post {2}warn: has no example request: a value is too large: up to 2,000 members or 20,000 characters/,
  );
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

/** Returns 28 schemas. Each schema except the last has two members that refer to the next schema. */
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
