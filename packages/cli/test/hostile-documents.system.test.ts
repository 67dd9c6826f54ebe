import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { readSource } from '../../diff/src/sources/sources.ts';
import { renderContract } from '../../generate/src/render.ts';
import { Bug, formatDiagnostic, readAllowedRefs } from '@contract-first/documents';
import { readingAt } from '../../documents/src/document/walk.ts';
import { describeBug } from '../../command-line/src/terminal/describe-bug.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { compiledOf, contractOf, warningsOf } from '@contract-first/testing/contract.ts';
import { problemsOf } from '@contract-first/testing/problems.ts';
import { runProcess, ROOT } from '@contract-first/testing/service.ts';

const HEAD = 'openapi: 3.1.0\ninfo: { title: Test, version: 1.0.0 }\nsecurity: []\n';
const A = { $ref: '#/components/schemas/A' };

/** Returns a document with one operation, whose body has a schema. */
function document(schema: unknown, components: object = {}, mediaType = 'application/json', rest: object = {}): string {
  const requestBody = { content: { [mediaType]: { schema } } };
  const post = { operationId: 'op', requestBody, responses: { '204': { description: 'Done.' } } };
  const info = { title: 'Test', version: '1.0.0' };
  return JSON.stringify({ openapi: '3.1.0', info, security: [], paths: { '/a': { post } }, components, ...rest });
}

/**
 * Returns a chain of schemas, each of which refers to the next schema twice: `2 ** length` paths lead to the last
 * schema.
 */
function ladder(step: (next: object) => object, length = 28): object {
  const names = ['A', ...Array.from({ length }, (_, index) => `A${String(index)}`)];
  const entries = names.map((name, index) => {
    const next = names[index + 1];
    return [name, next === undefined ? { type: 'object' } : step({ $ref: `#/components/schemas/${next}` })];
  });
  return { schemas: Object.fromEntries(entries) as object };
}

function properties(length: number): object {
  return Object.fromEntries(Array.from({ length }, (_, index) => [`p${String(index)}`, { type: 'string' }]));
}

const bomb = Array.from({ length: 9 }, (_, index) => {
  const items = Array<string>(10).fill(index === 0 ? '{}' : `*a${String(index - 1)}`);
  return `  - &a${String(index)} [${items.join()}]`;
});

const TEN = { default: '0', enum: Array.from('0123456789') };

test.each([
  ['aliases of aliases', `${HEAD}paths: {}\nx-a:\n${bomb.join('\n')}\n`, /aliases that stand for more than a million/],
  ['an alias of itself', `${HEAD}paths: {}\nx-a: &a { b: *a }\n`, /an alias that leads back to itself at #\/x-a\/b/],
  ['a deep list', `${HEAD}paths: {}\nx-a: ${'['.repeat(100_000)}`, /nesting exceeded/],
  [
    'a reference to itself',
    document(A, { schemas: { A } }),
    /#\/components\/schemas\/A {2}error: this \$ref leads back/,
  ],
  [
    'a parameter that refers to itself',
    document({}, { parameters: { P: { $ref: '#/components/parameters/P' } } }),
    /#\/components\/parameters\/P {2}error: this \$ref leads back to itself/,
  ],
  [
    'a response that refers to itself',
    document({}, { responses: { R: { $ref: '#/components/responses/R' } } }),
    /#\/components\/responses\/R {2}error: this \$ref leads back to itself/,
  ],
  [
    'a server with more paths than can be served',
    document({}, {}, 'application/json', {
      servers: [{ url: '/{a}{b}{c}{d}{e}', variables: Object.fromEntries(Array.from('abcde', (name) => [name, TEN])) }],
    }),
    /#\/servers {2}error: the values of the variables make more than 10000 combinations/,
  ],
  [
    'defaults in defaults',
    document(
      A,
      ladder((next) => ({ default: {}, properties: { a: next, b: next } })),
    ),
    /the defaults in defaults are more than 10000/,
  ],
  [
    '2^28 paths through allOf',
    document(
      A,
      ladder((next) => ({ allOf: [next, next] })),
    ),
    /error: combines more than 100000 schemas for one value/,
  ],
  [
    '2^28 paths through anyOf and oneOf',
    document(
      A,
      ladder((next) => ({ anyOf: [{ oneOf: [next] }, next] })),
    ),
    /error: combines more than 100000 schemas for one value/,
  ],
  [
    '2^11 paths through the allOf of a form',
    document(
      A,
      ladder((next) => ({ allOf: [next, next] }), 11),
      'multipart/form-data',
    ),
    /a form combines more than 1000 schemas/,
  ],
])('a document that refers to itself or expands too much is refused in one line: %s', async (_name, text, problem) => {
  const problems = await problemsOf(text);
  expect(problems).toMatch(problem);
  expect(problems.split('\n')).toHaveLength(1);
});

test.each([
  ['10,000 properties', document({ properties: properties(10_000) })],
  ['an allOf of itself in XML', document(A, { schemas: { A: { allOf: [A] } } }, 'application/xml')],
  ['an allOf of itself in a form', document(A, { schemas: { A: { allOf: [A] } } }, 'multipart/form-data')],
  [
    'a YAML value that is not text',
    `${HEAD}paths: {}\ncomponents: { schemas: { A: { type: string, default: !!binary aGk= } } }\n`,
  ],
  ['aliases that are not nested', `${HEAD}paths: {}\nx-a: &a [1]\nx-b: [*a, *a]\n`],
  [
    'names that are keywords elsewhere',
    document(
      {},
      { responses: { default: { $ref: '#/components/responses/example' }, example: { description: 'A.' } } },
    ),
  ],
  ['a $ref in an example', document({ type: 'object', example: { $ref: 'http://127.0.0.1:9/a' } })],
  [
    'a path item with itself as a callback',
    document({}, {}, 'application/json', {
      paths: {
        '/a': {
          post: {
            operationId: 'op',
            responses: { '204': { description: 'Done.' } },
            callbacks: { a: { '{$request.body#/url}': { $ref: '#/paths/~1a' } } },
          },
        },
      },
    }),
  ],
])('a valid document with unusual parts is accepted: %s', async (_name, text) => {
  expect(await warningsOf(text)).not.toContain('error');
});

const [B, C, text] = [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }, { type: 'string' }];
test.each<[string, object, object, string]>([
  ['allOf', { A: { allOf: [A, text] } }, { A: { allOf: [text] } }, 'A/allOf/0'],
  ['anyOf', { A: { anyOf: [text, A] } }, { A: { anyOf: [text] } }, 'A/anyOf/1'],
  ['oneOf alone', { A: { ...text, oneOf: [A] } }, { A: text }, 'A/oneOf/0'],
  ['not', { A: { ...text, not: A } }, { A: text }, 'A/not'],
  ['if', { A: { ...text, if: A, then: { minLength: 1 } } }, { A: { ...text, then: { minLength: 1 } } }, 'A/if'],
  [
    'dependentSchemas',
    { A: { dependentSchemas: { a: A, b: text } } },
    { A: { dependentSchemas: { b: text } } },
    'A/dependentSchemas/a',
  ],
  [
    'through other schemas',
    { A: { allOf: [B] }, B: { anyOf: [text, { not: C }] }, C: { ...A, maxLength: 1 } },
    { A: { allOf: [B] }, B: { anyOf: [text, { not: C }] }, C: { maxLength: 1 } },
    'C',
  ],
])(
  'a part that refers back to its own schema is removed, with a warning at the place: %s',
  async (_name, schemas, kept, place) => {
    const text = document(A, { schemas });
    const { components } = (await compiledOf(text)).document;
    expect(components).toEqual({ schemas: kept });
    expect(await warningsOf(text)).toMatch(new RegExp(` #/components/schemas/${place}  warn: this part is not used, `));
  },
);

test('a recursive property of a schema is validated', async () => {
  const schemas = { A: { type: 'object', properties: { a: A }, items: A } };
  expect((await compiledOf(document(A, { schemas }))).document.components).toEqual({ schemas });
});

test.each([
  ['..', '../secret.yaml', 'files'],
  ['percent-encoded dots', '%2e%2e/secret.yaml', 'files'],
  ['an absolute path', '/dev/zero', 'files'],
  ['a symbolic link', 'link.yaml', 'files'],
  ['a symbolic link to a folder', 'linked/secret.yaml', 'files'],
  ['a URL', 'http://127.0.0.1:9/a.json', 'http'],
])(
  'references outside the folder of the document are rejected, with a hint at the option: %s',
  async (_name, reference, kind) => {
    expect(await refer(reference)).toMatch(new RegExp(`outside of the folder of the document.*--allow-refs ${kind} `));
  },
);

test.each([
  ['a file URL', 'file:///etc/hostname', /write a path/],
  ['a folder', 'folder', /is not a file/],
  ['a FIFO', 'fifo', /is not a file/],
])('references outside the folder of the document: %s is rejected', async (_name, reference, problem) => {
  expect(await refer(reference)).toMatch(problem);
});

test('references outside the folder of the document: --allow-refs files allows files', async () => {
  expect(await refer('../secret.yaml', 'files')).toBe('');
});

test('references outside the folder of the document: only --allow-refs http reads a URL, once', async () => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.setHeader('content-type', 'application/json').end('{ "type": "string", "maximum": 9007199254740993 }');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo; // A TCP server.
  const url = `http://127.0.0.1:${String(port)}/a.json`;
  try {
    expect(await refer(url)).toContain('--allow-refs http');
    expect(requests).toBe(0);
    expect(await refer(url, 'http')).toBe('');
    expect(requests).toBe(1);
  } finally {
    server.close();
  }
});

test('references outside the folder of the document: contract:diff reads only its git repository', async () => {
  const root = temporaryFolder();
  execFileSync('git', ['init', '--quiet'], { cwd: root });
  write(join(root, 'shared.yaml'), '{ type: string }');
  const inside = write(join(root, 'api/openapi.yaml'), document({ $ref: '../shared.yaml' }));
  const outside = write(join(root, 'api/other.yaml'), document({ $ref: '../../secret.yaml' }));
  expect((await readSource('base', inside, new Set())).document.openapi).toBe('3.1.0');
  await expect(readSource('base', outside, new Set())).rejects.toThrow('--allow-refs files');
});

test('contract:diff also rejects 2^28 paths through anyOf', async () => {
  const schemas = ladder((next) => ({ anyOf: [next, next] }));
  const path = write(join(temporaryFolder(), 'openapi.yaml'), document(A, schemas));
  await expect(readSource('base', path, new Set())).rejects.toThrow(/\d+:\d+ #\S+ {2}error: combines more than 100000/);
});

test('references outside the folder of the document: --allow-refs rejects unknown kinds', () => {
  expect(() => readAllowedRefs(['files,ftp'])).toThrow('--allow-refs must be files or http, not "ftp"');
});

test('an unexpected error names the innermost place in the document, in one line', () => {
  const read = () => readingAt('#/paths', () => readingAt('#/paths/~1a', () => JSON.parse('{\n') as unknown));
  let bug: unknown;
  try {
    read();
  } catch (error) {
    bug = error;
  }
  expect(bug).toBeInstanceOf(Bug);
  expect(describeBug(bug)).toMatch(/^a bug of this tool, at #\/paths\/~1a: SyntaxError: [^\n]*$/);
});

test('an unexpected error ends a command with one line and exit code 2', async () => {
  const source = `
      const { reportBugs } = await import(${JSON.stringify(join(ROOT, 'packages/command-line/src/terminal/command.ts'))});
      reportBugs();
      await Promise.resolve();
      throw new RangeError('Maximum call\\nstack');`;
  const outcome = await runProcess(process.execPath, ['--input-type=module', '--eval', source]);
  expect(outcome.code).toBe(2);
  expect(outcome.stderr).toMatch(/^a bug of this tool: RangeError: Maximum call[^\n]*\n$/);
});

const draft = (version: string): string => `http://json-schema.org/draft-${version}/schema#`;
test.each<[string, object, object]>([
  [
    'exclusive limits of draft 4',
    { $schema: draft('04'), type: 'number', minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: false },
    { type: 'number', exclusiveMinimum: 1, maximum: 3 },
  ],
  [
    'exclusive limits of draft 4 under the name of draft 7',
    { $schema: draft('07'), type: 'number', maximum: 3, exclusiveMaximum: true },
    { type: 'number', exclusiveMaximum: 3 },
  ],
  [
    'keywords that draft 4 does not have',
    { $schema: draft('04'), id: 'https://example.org/a', type: 'string', const: 'a', if: {}, propertyNames: false },
    { type: 'string' },
  ],
  [
    'a list of items of draft 7',
    { $schema: draft('07'), items: [{ type: 'string' }, { type: 'integer' }], additionalItems: false },
    { prefixItems: [{ type: 'string' }, { type: 'integer' }], items: false },
  ],
  [
    'a list of items of 2019-09',
    { $schema: 'https://json-schema.org/draft/2019-09/schema', items: [{ type: 'string' }] },
    { prefixItems: [{ type: 'string' }] },
  ],
  [
    'dependencies of draft 6',
    { $schema: draft('06'), dependencies: { a: ['b'], c: { required: ['d'] } } },
    { dependentRequired: { a: ['b'] }, dependentSchemas: { c: { required: ['d'] } } },
  ],
  ['siblings of $ref of draft 7', { $schema: draft('07'), ...A, maxLength: 1 }, A],
  [
    'subschemas, and one with a dialect of its own',
    {
      $schema: draft('04'),
      properties: {
        a: { minimum: 1, exclusiveMinimum: true },
        b: { $schema: 'https://json-schema.org/draft/2020-12/schema', exclusiveMinimum: 1 },
      },
    },
    { properties: { a: { exclusiveMinimum: 1 }, b: { exclusiveMinimum: 1 } } },
  ],
  ['2020-12', { $schema: 'https://json-schema.org/draft/2020-12/schema', const: 'a' }, { const: 'a' }],
])('schemas in older dialects: %s', async (_name, schema, converted) => {
  const contract = await contractOf(document(schema, { schemas: { A: { type: 'string' } } }));
  expect(bodySchemaOf(contract)).toEqual(converted);
});

test('schemas in older dialects: jsonSchemaDialect is the default dialect', async () => {
  const rest = { jsonSchemaDialect: draft('04') };
  const text = document({ type: 'number', minimum: 1, exclusiveMinimum: true }, {}, 'application/json', rest);
  expect(bodySchemaOf(await contractOf(text))).toEqual({ type: 'number', exclusiveMinimum: 1 });
});

test('schemas in older dialects: a referenced file has its own dialect', async () => {
  const schema = { $schema: draft('04'), type: 'number', minimum: 1, exclusiveMinimum: true };
  const folder = temporaryFolder();
  write(join(folder, 'a.json'), JSON.stringify(schema));
  const { files } = await renderContract(write(join(folder, 'openapi.yaml'), document({ $ref: 'a.json' })));
  expect(files?.['contract.json']).toContain('"exclusiveMinimum": 1');
});

test('schemas in older dialects: an unknown dialect is a warning, even beside unknown keywords', async () => {
  const text = document({ $schema: 'https://example.org/dialect', type: 'string', 'x-a': 1, unknown: [] });
  expect(await warningsOf(text)).toMatch(/\/schema {2}warn: schemas in the dialect https:\/\/example.org\/dialect /);
});

function bodySchemaOf(contract: Awaited<ReturnType<typeof contractOf>>): unknown {
  return contract.operations['op']?.schemas.bodies['application/json'];
}

/** Returns the problems of a document with a reference, in a folder with links and a FIFO. */
async function refer(reference: string, ...allowed: readonly string[]): Promise<string> {
  const outside = temporaryFolder();
  const folder = join(outside, 'api');
  write(join(outside, 'secret.yaml'), '{ type: string }');
  const path = write(join(folder, 'openapi.yaml'), document({ $ref: reference }));
  mkdirSync(join(folder, 'folder'));
  symlinkSync('../secret.yaml', join(folder, 'link.yaml'));
  symlinkSync('..', join(folder, 'linked'));
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  const { diagnostics } = await renderContract(path, readAllowedRefs(allowed));
  return diagnostics.map(formatDiagnostic).join('\n');
}

/** Writes a file and creates its folder. Returns its path. */
function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}
