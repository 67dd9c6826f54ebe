import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { CONTRACT, createDiffProject, type DiffProject } from './support/diff-project.ts';

const NO_FINDINGS = { code: 0, stdout: '0 errors, 0 warnings, 0 notes\n', stderr: '' };
const [HEAD = '', ERROR = ''] = CONTRACT.split('\n    Error:\n');
const DOCUMENT = `${HEAD}\n    Error:\n      $ref: ../shared/parts.yaml#/Error\n`;
const PARTS = `Error:\n${ERROR.replaceAll(/^ {4}/gm, '')}`;
const STRING_ERROR = PARTS.replace('type: integer, format: int32', 'type: string');

let project: DiffProject;
beforeEach(async () => {
  project = createDiffProject();
  project.write('service/openapi.yaml', DOCUMENT);
  project.write('shared/parts.yaml', PARTS);
  await project.git('init', '--quiet');
  await project.commit('first');
});

test('contract:diff reads a document with several files from git, in any folder, and names the files', async () => {
  const inService = (...args: readonly string[]) => project.diffIn('service', ...args);
  for (const base of ['HEAD', 'HEAD:service/openapi.yaml', 'HEAD:./openapi.yaml', 'HEAD:openapi.yaml']) {
    expect(await inService('--base', base)).toEqual(NO_FINDINGS);
  }
  project.write('shared/parts.yaml', `# Moved by a line.\n${STRING_ERROR}`);
  const changed = await inService('--base', 'HEAD');
  expect(changed).toMatchObject({ code: 1, stderr: '' });
  expect(changed.stdout).toMatch(
    /^\.\.\/shared\/parts\.yaml:6 .*\n.* response … body\/error: type integer \(int32\) became string\n/m,
  );

  const reversed = await inService('--revision', 'HEAD', '--base', 'openapi.yaml');
  expect(reversed.stdout).toMatch(/^HEAD:\.\.\/shared\/parts\.yaml:5 .*\n.*type string became integer \(int32\)\n/m);
});

test('contract:diff reports removed parts at their place in the base', async () => {
  project.write('shared/parts.yaml', PARTS.replace(', message]', ']').replace(/^ *message: .*\n/m, ''));
  const { stdout } = await project.diff('--revision', 'service/openapi.yaml', '--base', 'HEAD:service/openapi.yaml');
  expect(stdout).toMatch(/^HEAD:shared\/parts\.yaml:6 .*\n.* property message was removed\n/m);
});

test('contract:diff reads two revisions, without the working tree', async () => {
  project.write('openapi.yaml', CONTRACT.replace('/plants:', '/flowers:'));
  await project.commit('second');
  project.write('openapi.yaml', 'not a document');
  expect(await project.diff('--base', 'HEAD~1', '--revision', 'HEAD~1:openapi.yaml')).toEqual(NO_FINDINGS);
  expect(await project.diff('--base', 'HEAD~1', '--revision', 'HEAD')).toMatchObject({ code: 1 });
});

test('contract:diff reads a document with several files by http, only from the local machine', async () => {
  const files: Readonly<Record<string, string>> = {
    '/api/openapi.yaml': DOCUMENT,
    '/shared/parts.yaml': PARTS,
    '/openapi.json': JSON.stringify({ openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: {} }),
  };
  const server = createServer((request, response) => {
    const text = files[request.url ?? ''];
    if (request.url === '/moved') response.writeHead(302, { Location: '/openapi.json' });
    else response.statusCode = text === undefined ? 404 : 200;
    response.end(text);
  }).listen(0, '127.0.0.1');
  cleanUp(() => {
    server.close();
  });
  await once(server, 'listening');
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // It listens on a port.

  expect(await project.diff('--base', `${url}/api/openapi.yaml`)).toEqual(NO_FINDINGS);
  expect(await project.diff('--base', `${url}/openapi.json`, '--revision', `${url}/openapi.json`)).toEqual(NO_FINDINGS);
  project.write('service/openapi.yaml', CONTRACT.replace('type: integer, format: int32', 'type: string'));
  const changed = await project.diff('--revision', 'service/openapi.yaml', '--base', `${url}/api/openapi.yaml`);
  expect(changed).toMatchObject({ code: 1, stderr: '' });

  for (const [base, message] of [
    [`${url}/none`, `${url}/none responded 404`],
    [`${url}/moved`, 'unexpected redirect'],
    ['http://example.com/openapi.yaml', 'http://example.com/openapi.yaml is not an http URL of this machine'],
    ['http://127.0.0.1.example.com/', 'is not an http URL of this machine'],
    ['https://localhost/openapi.yaml', 'is not an http URL of this machine'],
  ] as const) {
    const { code, stdout, stderr } = await project.diff('--base', base);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`contract-first diff: base ${base}`);
    expect(stderr).toContain(message);
  }
});

test('contract:diff reads any valid document, even without security, operationIds and distinct paths', async () => {
  const path = "get: { responses: { '204': { description: Done. } } }";
  const id = '{ name: id, in: path, required: true, schema: { type: string } }';
  project.write(
    'openapi.yaml',
    `openapi: 3.1.0
info: { title: Any, version: '2026' }
paths:
  /a/{id}: { parameters: [${id}], ${path} }
  /a/b: { ${path} }
  /{id}/b: { parameters: [${id}], ${path} }
`,
  );
  expect(await project.diff('openapi.yaml', 'openapi.yaml')).toEqual(NO_FINDINGS);
});

test.each([
  ['a missing file', 'HEAD:service/none.yaml', 'the git revision HEAD has no service/none.yaml'],
  ['a path outside the repository', 'HEAD:../x.yaml', 'the git revision HEAD has no ../x.yaml'],
  ['a missing revision', 'none:openapi.yaml', 'base none:openapi.yaml is neither a file nor a git revision'],
  [
    'a missing part',
    'HEAD:broken.yaml',
    'base HEAD:broken.yaml:4:9 #/paths/~1a  error: $ref to none.yaml cannot be read: the git revision HEAD has no none.yaml',
  ],
])('contract:diff rejects %s', async (_name, base, message) => {
  project.write('broken.yaml', "openapi: 3.1.0\ninfo: { title: A, version: '1' }\npaths:\n  /a: { $ref: none.yaml }\n");
  await project.commit('broken');
  const { code, stdout, stderr } = await project.diff('--base', base);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
  expect(stderr).toMatch(/^contract-first diff: base [^\n]*\n$/);
});

test('contract:diff reads a document whose schemas have keyword values of another version', async () => {
  const above = (limit: string): string => CONTRACT.replace('format: int32', `minimum: 0, exclusiveMinimum: ${limit}`);
  project.write('base.yaml', above('true'));
  project.write('openapi.yaml', above('false'));
  const { code, stdout, stderr } = await project.diff('--base', 'base.yaml');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/response-property-min-decreased .* became minimum 0$/m);
});
