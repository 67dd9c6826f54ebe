import pino from 'pino';
import request from 'supertest';
import type { Application } from '@contract-first/engine';
import { readConfig } from '@contract-first/engine/tools';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import { createService } from '../../src/create-service.ts';
import { hashToken } from '../../src/auth/tokens.ts';

const BODY = (schema: string) =>
  `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`;
const DONE = "responses: { '204': { description: Done. } }";
const SCHEMES =
  'components: { securitySchemes: { key: { type: http, scheme: bearer }, token: { type: http, scheme: bearer } } }';

/** Returns an application below a path. The checker of its scheme `key` accepts one token, of the user anna. */
async function applicationOf(path: string, token: string, schema: string): Promise<Application> {
  const operation = `security: [{ key: [] }, { token: [] }]\n${BODY(schema)}\n${DONE}`;
  const document = documentOf('/op', 'post', operation, `servers: [{ url: ${path} }]\n${SCHEMES}`);
  const nothing = () => Promise.resolve();
  const key = ({ authorization }: { authorization?: string | undefined }) =>
    Promise.resolve(authorization === `Bearer ${token}` ? { name: 'anna' } : undefined);
  return {
    contract: await contractOf(document),
    failures: {},
    open: () =>
      Promise.resolve({
        handlers: { op: () => Promise.resolve({ status: 204 }) },
        checkers: { key },
        check: nothing,
        close: nothing,
      }),
  };
}

async function serveBoth(limit?: number) {
  const read = await readConfig({ PORT: '0', EVENT_LOOP_DELAY_LIMIT_MS: '60000' }, undefined);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const { config } = read;
  const served = (application: Application) => ({ application, config });
  const service = await createService(
    [
      served(await applicationOf('/a', 'of-a', '{ type: integer }')),
      served(await applicationOf('/b', 'of-b', '{ type: string }')),
    ],
    {
      ...config,
      auth: { tokens: [hashToken('tester', 'of-both')], tokensFile: undefined, jwt: undefined },
      rateLimit: limit === undefined ? undefined : { requests: limit, windowSeconds: 3_600 },
    },
    pino({ level: 'silent' }),
  );
  cleanUp(service.close);
  return async (path: string, token: string, body: string) =>
    (await request(service.app).post(path).auth(token, { type: 'bearer' }).type('json').send(body)).status;
}

test('documents with schemes and operations of the same name have separate checkers and schemas: 401, 400', async () => {
  const post = await serveBoth();
  expect(await post('/a/op', 'of-a', '1')).toBe(204);
  expect(await post('/b/op', 'of-b', '"x"')).toBe(204);
  expect(await post('/a/op', 'of-b', '1')).toBe(401);
  expect(await post('/b/op', 'of-a', '"x"')).toBe(401);
  expect(await post('/a/op', 'of-a', '"x"')).toBe(400);
  expect(await post('/b/op', 'of-b', '1')).toBe(400);
  for (const path of ['/a/../b/op', '/a//op', '/b%2fop', '/A/op', '/ab/op'])
    expect(await post(path, 'of-a', '1')).toBe(404);
});

test('documents count callers of their own checkers separately, and callers of the configured tokens together: 429', async () => {
  const post = await serveBoth(2);
  for (const status of [204, 204, 429]) expect(await post('/a/op', 'of-a', '1')).toBe(status);
  for (const status of [204, 204, 429]) expect(await post('/b/op', 'of-b', '"x"')).toBe(status);
  expect(await post('/a/op', 'of-both', '1')).toBe(204);
  expect(await post('/b/op', 'of-both', '"x"')).toBe(204);
  expect(await post('/a/op', 'of-both', '1')).toBe(429);
});
