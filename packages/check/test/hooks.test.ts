import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkCommand } from '../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN, type Defect } from './support/reference-server.ts';

/** Checks the operation findItems with hooks. */
async function check(
  hooks: string,
  defect: Defect = (request, respond) => respond(request),
  args: readonly string[] = [],
) {
  const url = await startReferenceServer(defect);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(shallowDocument));
  writeFileSync(join(folder, 'hooks.mjs'), hooks);
  const required = [
    'openapi.json',
    '--url',
    url,
    '--token',
    TOKEN,
    '--seed',
    '1',
    '--runs',
    '1',
    '--hooks',
    'hooks.mjs',
  ];
  return { folder, ...(await runHere(checkCommand, [...required, '--operation', 'findItems', ...args], folder)) };
}

test('beforeRequest changes each request, and receives its kind', async () => {
  const hooks = `export default {
    beforeRequest(request, operation, kind) {
      if (kind === 'no authentication') return undefined;
      return { ...request, headers: [...request.headers, ['X-Signed', operation.operationId + operation.path]] };
    },
  }`;
  const signed: Defect = (request, respond) => {
    const isRight = request.headers['x-signed'] === 'findItems/items';
    return request.url === '/' || isRight ? respond(request) : { ...respond({ ...request, headers: {} }), status: 401 };
  };
  expect(await check(hooks, signed)).toMatchObject({ code: 0, stderr: '' });
  expect((await check('export default {}', signed)).code).toBe(1);
});

test('a message from afterResponse is a failure with evidence', async () => {
  const hooks = `export default {
    afterResponse: async (response) => response.headers.some(([name]) => name === 'x-trace') ? undefined : 'X-Trace is missing',
  }`;
  const { code, stdout } = await check(hooks);
  expect(code).toBe(1);
  expect(stdout).toMatch(/^FAILED own_check {2}findItems\n {2}X-Trace is missing\n {2}curl /m);
  const traced: Defect = (request, respond) => {
    const answer = respond(request);
    return { ...answer, headers: { ...answer.headers, 'X-Trace': '1' } };
  };
  expect((await check(hooks, traced)).code).toBe(0);
});

test('the hook values returns values by name', async () => {
  const hooks = `export default { values: ({ operationId }) => (operationId === 'findItems' ? { text: 'known' } : {}) }`;
  let isSent = false;
  await check(hooks, (request, respond) => {
    isSent ||= request.url.includes('text=known');
    return respond(request);
  });
  expect(isSent).toBe(true);
});

test('setUp runs before the first request, and cleanUp after the last request', async () => {
  const hooks = `import { appendFileSync } from 'node:fs';
  const note = (text) => appendFileSync('log', text + '\\n');
  export default {
    setUp: ({ url }) => note('set up ' + url.startsWith('http://127.0.0.1:')),
    cleanUp: () => note('clean up'),
    afterResponse: () => note('response'),
  }`;
  const { folder, code } = await check(hooks, undefined, ['--checks', 'unsupported_method']);
  expect(code).toBe(0);
  const lines = readFileSync(join(folder, 'log'), 'utf8').trimEnd().split('\n');
  expect([lines.at(0), lines.at(-1)]).toEqual(['set up true', 'clean up']);
  expect(new Set(lines.slice(1, -1))).toEqual(new Set(['response']));
});

test.each([
  ['a syntax error', '{', /^the hooks hooks.mjs cannot be loaded: SyntaxError: /],
  [
    'no default export',
    'export const setUp = 1',
    /^hooks.mjs must have a default export, an object with setUp, cleanUp/,
  ],
  [
    'unknown hooks',
    'export default { before: 1, values: 2 }',
    /^hooks.mjs: before is not a hook; the hooks are setUp, .*\nhooks.mjs: values must be a function\n$/,
  ],
  [
    'a set-up that fails',
    'export default { setUp() { throw new Error("no database") } }',
    /^the hook setUp failed: Error: no database\n$/,
  ],
])('exit 2 before the first request: hooks with %s', async (_name, hooks, message) => {
  let count = 0;
  const { code, stdout, stderr } = await check(hooks, (request, respond) => {
    if (request.url !== '/') count += 1;
    return respond(request);
  });
  expect([code, stdout, count]).toEqual([2, '', 0]);
  expect(stderr).toMatch(message);
});

test('a hook that fails during the run is named: exit 2', async () => {
  const { code, stdout } = await check(`export default { afterResponse() { throw new Error('oops') } }`);
  expect(code).toBe(2);
  expect(stdout).toMatch(/^findItems: not checked to the end: the hook afterResponse failed: Error: oops$/m);
});
