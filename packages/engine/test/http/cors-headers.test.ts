import request from 'supertest';
import { readConfig } from '@contract-first/engine/tools';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

test('CORS_HEADERS permits headers that the document does not have', async () => {
  const read = await readConfig({ CORS_ORIGINS: '*', CORS_HEADERS: 'X-Csrf-Token, X-Requested-With' }, undefined);
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  const { cors } = read.config;
  const contract = await contractOf(documentOf('/a', 'get', "responses: { '204': { description: Done. } }"));
  const { app } = await createTestApp({ contract, cors, handlers: { op: async () => ({ status: 204 }) } });
  const preflight = { Origin: 'https://app.example.com', 'Access-Control-Request-Method': 'GET' };
  const { headers } = await request(app).options('/a').set(preflight);
  expect(headers['access-control-allow-headers']).toMatch(/, X-Csrf-Token, X-Requested-With$/);
});
