import { readConfig } from '@contract-first/engine/tools';

test.each([
  ['the default PORT', {}, 3001],
  ['another PORT', { PORT: '8080' }, 8081],
  ['any free PORT', { PORT: '0' }, 0],
  ['the last PORT', { PORT: '65535' }, 65534],
  ['its own value', { PORT: '8080', OPS_PORT: '9000' }, 9000],
])('OPS_PORT follows %s', async (_name, variables, port) => {
  expect(await readConfig(variables, undefined)).toMatchObject({ config: { ops: { port } } });
});

test.each([
  [{ CORS_HEADERS: 'X-Csrf Token', CORS_ORIGINS: '*' }, /^CORS_HEADERS must be names of headers/],
  [{ CORS_HEADERS: 'X-Csrf-Token' }, /^CORS_HEADERS needs CORS_ORIGINS$/],
])('CORS_HEADERS is refused: %j', async (variables, problem) => {
  expect(await readConfig(variables, undefined)).toEqual({ problems: [expect.stringMatching(problem)] });
});
