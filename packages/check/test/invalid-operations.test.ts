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
  expect(stdout).toMatch(/\ncontract: 6 operations, \d+ requests, 0 failures, 1 incomplete \(seed 1\)\n$/);
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
  expect(stdout).toMatch(/\ncontract: 7 operations, /);
});

test.each([
  ['outside of the operations', { info: { title: 1 } }, /^openapi.json:1:\d+ #\/info/],
  ['in all operations', { paths: { '/a': { get: answer(broken) } } }, /^openapi.json:1:\d+ #\/paths\/~1a\/get/],
])('a document with an error %s is not checked: exit 2', async (_name, changes, message) => {
  expect(await check(changes)).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(message) });
});

test('the method and the path of an invalid operation count as documented', async () => {
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
