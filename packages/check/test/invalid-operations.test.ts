import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN } from './support/reference-server.ts';

type Members = Readonly<Record<string, object>>;
const { paths, components } = shallowDocument as unknown as {
  readonly paths: Readonly<Record<string, Members>>;
  readonly components: Readonly<Record<string, Members>>;
};

/** Checks the reference server against a changed document. */
async function check(changes: object, args: readonly string[] = []) {
  const url = await startReferenceServer();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify({ ...shallowDocument, ...changes }));
  const required = ['openapi.json', '--url', url, '--token', TOKEN, '--seed', '1', '--runs', '1', '--budget', '300'];
  const { code, stdout, stderr } = await runHere(checkCommand, [...required, ...args], folder);
  return { code, stdout, stderr };
}

const broken = { type: 'object', properties: 1 };
const answer = (schema: object) => ({
  responses: { 200: { description: 'Done', content: { 'application/json': { schema } } } },
});

const quick = ['--checks', 'unsupported_method'];

test('only an invalid operation is skipped: exit 2, or 0 with --allow-incomplete', async () => {
  const changes = { paths: { ...paths, '/broken': { get: { operationId: 'getBroken', ...answer(broken) } } } };
  const { code, stdout, stderr } = await check(changes, quick);
  expect([code, stderr]).toEqual([2, '']);
  expect(stdout).toMatch(
    /^getBroken: not checked, as the document is not valid: openapi.json:1:\d+ #\/paths\/~1broken\/get\/.* error: /m,
  );
  expect(stdout).toMatch(/^incomplete, with less than the minimum of requests: getBroken$/m);
  expect(stdout).toMatch(/\nchecked: 6 operations, \d+ requests, 0 failures, 1 incomplete \(seed 1\)\n$/);
  expect((await check(changes, [...quick, '--allow-incomplete'])).code).toBe(0);
  expect(await check(changes, [...quick, '--operation', 'findItems'])).toMatchObject({ code: 0, stderr: '' });
});

test('an operation that refers to an invalid component is skipped', async () => {
  const reference = { $ref: '#/components/schemas/Outer' };
  const { code, stdout } = await check(
    {
      paths: { ...paths, '/broken': { get: answer(reference), post: answer({ type: 'object' }) } },
      components: {
        ...components,
        schemas: {
          ...components['schemas'],
          Outer: { properties: { inner: { $ref: '#/components/schemas/Inner' } } },
          Inner: broken,
        },
      },
    },
    quick,
  );
  expect(code).toBe(1); // The reference server has no /broken.
  expect(stdout).toMatch(
    /^GET \/broken: not checked, as the document is not valid: .*#\/components\/schemas\/Inner\//m,
  );
  expect(stdout).toMatch(/\nchecked: 7 operations, /);
});

test.each([
  ['outside of the operations', { info: { title: 1 } }, /^openapi.json:1:\d+ #\/info/],
  ['in all operations', { paths: { '/a': { get: answer(broken) } } }, /^openapi.json:1:\d+ #\/paths\/~1a\/get/],
])('a document with an error %s is not checked: exit 2', async (_name, changes, message) => {
  expect(await check(changes)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});

test('a document that is not YAML is not checked: exit 2, with the place', async () => {
  const folder = temporaryFolder();
  const run = async (text: string | Buffer) => {
    writeFileSync(join(folder, 'openapi.yaml'), text);
    const { code, stdout, stderr } = await runHere(
      checkCommand,
      ['openapi.yaml', '--url', 'http://127.0.0.1:1'],
      folder,
    );
    return { code, stdout, stderr };
  };
  const refused = (message: string) => ({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(`openapi.yaml:${message}\n`),
  });
  const single = 'expected a single document in the stream, but found more';
  expect(await run('openapi: 3.1.0\n---\n{}\n')).toEqual(refused(`2:1  error: ${single}`));
  const text = 'openapi: 3.1.0\ninfo: {}\npaths: {}\n';
  expect(await run(Buffer.from(text, 'utf16le'))).toEqual(
    refused('1:1  error: is encoded in UTF-16: save it as UTF-8'),
  );
  writeFileSync(join(folder, 'other.yaml'), 'a: 1\n---\nb: 1\n');
  const { stderr } = await run(
    `${text.replace('{}', '{ title: a, version: 1.0.0 }')}components: { schemas: { A: { $ref: other.yaml } } }`,
  );
  expect(stderr).toContain(`other.yaml:2:1  error: ${single}\n`);
});

test('an operation that is not valid is left out of a document with merge keys', async () => {
  const url = await startReferenceServer();
  const folder = temporaryFolder();
  const text = `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
x-shared: &shared { responses: { '204': { description: Done. } } }
paths:
  /a: { get: { operationId: a, <<: *shared } }
  /b: { get: { operationId: b, responses: 1 } }
`;
  writeFileSync(join(folder, 'openapi.yaml'), text);
  const args = ['openapi.yaml', '--url', url, '--seed', '1', '--runs', '1', ...quick];
  const { stdout } = await runHere(checkCommand, args, folder);
  expect(stdout).toMatch(/^b: not checked, as the document is not valid: openapi.yaml:7:/m);
  expect(stdout).not.toContain('a: not checked');
});

test('the method and the path of an operation that is not valid are documented', async () => {
  const { get, ...others } = paths['/items'] ?? {};
  const changes = {
    paths: {
      ...paths,
      '/items': {
        get: { ...get, responses: 1 },
        post: { ...paths['/notes']?.['post'], operationId: 'createItem' },
        ...others,
      },
    },
  };
  const { stdout } = await check(changes, [...quick, '--operation', 'POST /items']);
  expect(stdout).not.toContain('method GET');
  expect(stdout).toContain('Allow is "GET", without POST'); // The reference server has no POST.
});
