import type { RequestListener } from 'node:http';
import request from 'supertest';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

const SECURITY = `security: [{ bearer: [] }]
responses: { '204': { description: Done. } }`;
const SCHEME = 'components: { securitySchemes: { bearer: { type: http, scheme: bearer } } }';

// Serves POST /things, for callers with a token.
let app: RequestListener;
beforeEach(async () => {
  const contract = await contractOf(documentOf('/things', 'post', SECURITY, SCHEME));
  ({ app } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) } }));
});

describe.each<[string, Record<string, string>]>([
  ['with a token', { Authorization: `Bearer ${TOKEN}` }],
  ['without a token', {}],
])('%s', (_name, headers) => {
  test.each(['get', 'put', 'delete', 'patch', 'trace'] as const)('405 with Allow: %s', async (method) => {
    const response = await request(app)[method]('/things').set(headers);
    expectProblem(response, 405, /POST, OPTIONS/);
    expect(response.headers['allow']).toBe('POST, OPTIONS');
  });

  test('405 without a body: HEAD', async () => {
    const response = await request(app).head('/things').set(headers);
    expect([response.status, response.text, response.headers['allow']]).toEqual([405, undefined, 'POST, OPTIONS']);
  });

  test('204 with Allow: OPTIONS', async () => {
    const response = await request(app).options('/things').set(headers);
    expect([response.status, response.text, response.headers['allow']]).toEqual([204, '', 'POST, OPTIONS']);
    expect(response.headers).not.toHaveProperty('content-length');
  });

  test.each([
    '/',
    '/thing',
    '/things/',
    '/THINGS',
    '/things/1/1',
    '//things',
    '/things%2F',
    '/%',
    '/constructor',
    '/__proto__',
  ])('404: POST %s', async (path) => {
    expectProblem(await request(app).post(path).set(headers).send({}), 404, /this path does not exist/);
  });
});
