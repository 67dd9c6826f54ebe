import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Contract } from '@contract-first/contract';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { problemsOf } from '@contract-first/testing/problems.ts';
import { FIXTURE, runProcess } from '@contract-first/testing/service.ts';
import { generateCommand } from '../src/command.ts';

const CONTRACT = readFileSync(join(FIXTURE, 'openapi.yaml'), 'utf8');

let project: string;
beforeEach(() => {
  project = temporaryFolder();
});

const generate = (...args: string[]) => runHere(generateCommand, args, project);
const generateAsProcess = () => runProcess('contract-first', ['generate'], {}, project);
const writeContract = (text: string): void => {
  writeFileSync(join(project, 'openapi.yaml'), text);
};
const readGenerated = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

test('npm run generate is deterministic, and the files in the repository are up to date', async () => {
  writeContract(CONTRACT);
  const names = ['generated/types.ts', 'generated/openapi.json', 'generated/contract.json'];
  expect(await generateAsProcess()).toEqual({ code: 0, stdout: `${names.join('\n')}\n`, stderr: '' });
  expect(readGenerated(join(project, 'generated'))).toEqual(readGenerated(join(FIXTURE, 'generated')));
  expect(await generate()).toEqual({ code: 0, stdout: 'generated/ is up to date\n', stderr: '' });
});

test('npm run generate -- --check names stale and missing files, exits 1 and changes nothing', async () => {
  writeContract(CONTRACT);
  await generate();
  expect(await generate('--check')).toEqual({ code: 0, stdout: 'generated/ is up to date\n', stderr: '' });

  const before = readGenerated(join(project, 'generated'));
  writeContract(CONTRACT.replace('createGuest', 'addGuest'));
  const names = ['generated/types.ts', 'generated/openapi.json', 'generated/contract.json'];
  const stderr = names.map((name) => `${name} is stale: run npm run generate\n`).join('');
  expect(await generate('--check')).toEqual({ code: 1, stdout: '', stderr });
  expect(readGenerated(join(project, 'generated'))).toEqual(before);
});

test('generate --strict rejects a document with warnings, and changes nothing: exit 2', async () => {
  writeContract(CONTRACT);
  expect(await generate('--strict')).toMatchObject({ code: 0, stderr: '' });
  const before = readGenerated(join(project, 'generated'));
  writeContract(CONTRACT.replace(/^ {2}version: .*$/m, '  version: 2'));
  expect(await generate('--strict')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      / warn: version is a number[^]*\nopenapi\.yaml has warnings, which --strict rejects; generated\/ is unchanged\n$/,
    ),
  });
  expect(readGenerated(join(project, 'generated'))).toEqual(before);
  expect(await generate()).toMatchObject({ code: 0, stderr: expect.stringContaining('version is a number') });
});

test('npm run generate accepts files with CRLF, and keeps it in handlers.ts', async () => {
  const withCrlf = (text: string): string => text.replaceAll('\n', '\r\n');
  writeContract(CONTRACT);
  await generate();
  for (const [name, text] of Object.entries(readGenerated(join(project, 'generated'))))
    writeFileSync(join(project, 'generated', name), withCrlf(text));
  writeContract(withCrlf(CONTRACT));
  const handlers = join(project, 'src/handlers.ts');
  mkdirSync(join(project, 'src'));
  writeFileSync(handlers, withCrlf('export function createHandlers() {\n  return {\n  };\n}\n'));
  expect(await generate('--scaffold')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^generated\/ is up to date\nsrc\/create-guest\.ts\n/),
  });
  const written = readFileSync(handlers, 'utf8');
  expect(written.split('\r\n').join('')).not.toMatch(/[\r\n]|\\u000d/);
  expect(written).toContain('    createGuest,\r\n');
});

test('npm run generate finds every int64, through references, lists, maps, unions and recursion', async () => {
  writeContract(
    withSchema(`
      type: object
      properties:
        plain: { type: integer }
        nullable: { type: [integer, 'null'], format: int64 }
        list: { type: array, items: { type: integer, format: int64 } }
        map:
          type: object
          properties: { size: { type: integer } }
          additionalProperties: { type: integer, format: int64 }
        either: { oneOf: [{ type: string }, { type: integer, format: int64 }] }
        children: { type: array, items: { $ref: '#/components/schemas/Body' } }
        text: { $ref: '#/components/schemas/Text' }`),
  );
  expect(await generate()).toMatchObject({ code: 0, stderr: '' });
  const generated = readGenerated(join(project, 'generated'));
  const { int64Shapes } = JSON.parse(generated['contract.json'] ?? '') as Contract;
  expect(int64Shapes).toEqual({
    '#/components/schemas/Body': {
      properties: {
        nullable: { int64: true },
        list: { items: { int64: true } },
        map: { properties: { size: {} }, additionalProperties: { int64: true } },
        either: { allOf: [{ int64: true }] },
        children: { items: { $ref: '#/components/schemas/Body' } },
      },
    },
  });
  expect(generated['types.ts']).toMatch(/nullable\?: bigint \| null;\s+list\?: bigint\[\];/);
});

test('npm run generate: formats.ts declares which strings are decoded; without it, nothing changes', async () => {
  writeContract(
    withSchema(`
      type: object
      properties: { day: { type: string, format: date }, other: { type: string, format: uuid } }`),
  );
  await generate();
  const before = readGenerated(join(project, 'generated'));

  const folder = join(project, 'src/things');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'contract.ts'), '');
  const formats = (declared: string): void => {
    writeFileSync(join(folder, 'formats.ts'), `export const formats: Formats<{ date: Day }> = { ${declared} };`);
  };
  formats('date: { decode: toDay, encode: String }');
  expect(await generate('--check')).toMatchObject({ code: 1, stderr: expect.stringMatching(/types\.ts is stale/) });
  expect(await generate()).toMatchObject({ code: 0, stderr: '' });
  const { 'types.ts': types = '', ...others } = readGenerated(join(project, 'generated'));
  expect(types).toContain('import type { formats } from "../src/things/formats.ts";');
  expect(types).toMatch(/day\?: Decoded<"date">;\s+\/\*\* Format: uuid \*\/\s+other\?: string;/);
  expect(JSON.parse(others['contract.json'] ?? '')).toMatchObject({ formats: { names: ['date'] } });

  formats('...dates');
  const stderr =
    'cannot read the names of formats from src/things/formats.ts: write an object literal without a spread\n';
  expect(await generate()).toEqual({ code: 2, stdout: '', stderr });
  rmSync(join(folder, 'formats.ts'));
  await generate();
  expect(readGenerated(join(project, 'generated'))).toEqual(before);
});

test('npm run generate types the files of a form as Blobs, also by reference, and other binary strings as strings', async () => {
  const schema = `
      allOf: [{ type: object, properties: { file: { $ref: '#/components/schemas/File' } } }]
      type: object
      properties: { files: { type: array, items: { $ref: '#/components/schemas/File' } } }
    File: { type: string, format: binary }`;
  writeContract(withSchema(schema).replace('application/json', 'multipart/form-data'));
  await generate();
  expect(readGenerated(join(project, 'generated'))['types.ts']).toMatch(/file\?: Blob;/);
  expect(readGenerated(join(project, 'generated'))['types.ts']).toMatch(/files\?: Blob\[\];/);
  writeContract(withSchema(schema));
  await generate();
  expect(readGenerated(join(project, 'generated'))['types.ts']).not.toContain('Blob');
});

test.each<[string, string, RegExp]>([
  ['not YAML', 'openapi: 3.1.0\n  info: x\n', /^openapi\.yaml:2:7 {2}error: bad indentation/],
  ['two documents', '---\nopenapi: 3.1.0\n---\na: 1\n', /^openapi\.yaml:3:1 {2}error: expected a single document/],
  [
    'an open quote',
    'openapi: 3.1.0\ninfo:\n  title: "x\n  version: y\n',
    /^openapi\.yaml:4:3 {2}error: deficient indentation: indent this line deeper than its key/,
  ],
  ['UTF-16', '\uFFFD\uFFFDo\0p\0', /^openapi\.yaml:1:1 {2}error: is encoded in UTF-16: save it as UTF-8$/],
  ['empty', '', /^openapi\.yaml {2}error: must be an OpenAPI document of version 3\.0, 3\.1 or 3\.2/],
  ['OpenAPI 3.3', CONTRACT.replace('3.1.0', '3.3.0'), /version 3\.0, 3\.1 or 3\.2, not "3\.3\.0"/],
  [
    'Swagger 2',
    'swagger: "2.0"\n',
    /^openapi\.yaml {2}error: is a Swagger 2\.0 document, but OpenAPI 3\.0 to 3\.2 is needed: .* npx swagger2openapi .*$/,
  ],
  [
    'a violation of OpenAPI',
    CONTRACT.replace('  version: 1.0.0\n', ''),
    /openapi\.yaml:\d+:\d+ #\/info {2}error: info needs version/,
  ],
  [
    'a reference to nothing',
    CONTRACT.replaceAll('schemas/Error', 'schemas/Mistake'),
    /openapi\.yaml:\d+:\d+ #\/paths\/~1guests\/post\/responses\/400.* error: \$ref leads to nothing: no Mistake in #\/components\/schemas/,
  ],
  [
    'a security scheme that is not defined',
    CONTRACT.replace('- bearerAuth: []', '- other: []'),
    /openapi\.yaml:\d+:\d+ #\/security {2}error: there is no security scheme other/,
  ],
  [
    'a mistake below a name that every object inherits',
    CONTRACT.replace(/ {8}tag:\n.*string/, '        valueOf:\n          type: text'),
    /openapi\.yaml:\d+:\d+ #\/components\/schemas\/Guest\/properties\/valueOf\/type {2}error: type must be object, array, string, .*, not "text"/,
  ],
  [
    'a method of OpenAPI 3.2',
    CONTRACT.replace('    post:', '    query:'),
    /#\/paths\/~1guests\/query {2}error: a path item has no query before OpenAPI 3\.2: write openapi: 3\.2\.0/,
  ],
  [
    'a method that Node cannot parse',
    CONTRACT.replace('3.1.0', '3.2.0').replace('    post:', '    additionalOperations:\n     Copy:'),
    /#\/paths\/~1guests\/additionalOperations\/Copy {2}error: no client can call the method Copy/,
  ],
  [
    'a method that has a key of its own',
    CONTRACT.replace('3.1.0', '3.2.0').replace('    post:', '    additionalOperations:\n     POST:'),
    /error: POST must not be in additionalOperations: write post/,
  ],
  [
    'a querystring beside a query',
    CONTRACT.replace('3.1.0', '3.2.0').replace(
      '    post:',
      '    parameters:\n    - { name: a, in: query, schema: {} }\n    - { name: b, in: querystring, content: { application/json: {} } }\n    post:',
    ),
    /error: a parameter in querystring must be the only one in the query/,
  ],
  [
    'two operations with one operationId',
    CONTRACT.replace(
      '    post:',
      "    get: { operationId: createGuest, responses: { '204': { description: Done. } } }\n    post:",
    ),
    /openapi\.yaml:\d+:\d+ #\/paths\/~1guests\/post {2}error: operationId createGuest must be unique: GET \/guests at openapi\.yaml:\d+:\d+ has it, too/,
  ],
  [
    'a name of a component with a space',
    CONTRACT.replaceAll('schemas/Error', 'schemas/An%20Error').replace('    Error:', '    An Error:'),
    /#\/components\/schemas\/An Error {2}error: the name "An Error" of a component may only have letters/,
  ],
  [
    'an operationId __proto__',
    CONTRACT.replace('createGuest', '__proto__'),
    /__proto__ cannot be the name of an operation/,
  ],
])('a document is refused with the place and the reason: %s', async (_name, text, problem) => {
  const problems = await problemsOf(text);
  expect(problems).toMatch(problem);
  expect(problems).not.toMatch(/\n\s+at /);
});

test('a document is refused with the place and the reason: generated/ is unchanged', async () => {
  mkdirSync(join(project, 'generated'));
  writeFileSync(join(project, 'generated', 'types.ts'), 'as it was');
  const text = CONTRACT.replaceAll('schemas/Error', 'schemas/Mistake');
  writeContract(text);
  const { code, stdout, stderr } = await generateAsProcess();
  expect([code, stdout]).toEqual([2, '']);
  const isExcerpt = (line: string): boolean => /^ +(?:> )? *\d* \|/.test(line);
  const lines = stderr.split('\n').filter((line) => !isExcerpt(line));
  expect(lines.join('\n')).toBe(`${await problemsOf(text)}\nopenapi.yaml was rejected; generated/ is unchanged\n`);
  expect(stderr).toContain(
    "\n  > 61 |                 $ref: '#/components/schemas/Mistake'\n       |                 ^\n",
  );
  expect(readGenerated(join(project, 'generated'))).toEqual({ 'types.ts': 'as it was' });
});

test('a document is refused with the place and the reason: the document does not exist', async () => {
  const outcome = await generate();
  expect(outcome).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^openapi\.yaml {2}error: cannot be read/),
  });
});

function withSchema(schema: string): string {
  return `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /things:
    post:
      operationId: createThing
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Body' } } } }
      responses: { '204': { description: Done. } }
components:
  schemas:
    Text: { type: string }
    Body:${schema}
`;
}
