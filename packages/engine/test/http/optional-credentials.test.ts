import request from 'supertest';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

const SCHEMES = `components:
  securitySchemes:
    bearer: { type: http, scheme: bearer }
    key: { type: apiKey, in: header, name: X-Key }
    query: { type: apiKey, in: query, name: key }
    session: { type: apiKey, in: cookie, name: sid }`;

/** Sends a request to an operation with optional credentials. Returns the status and the name of the caller. */
async function send(headers: Record<string, string>, target = '/a', ignoresInvalidCredentials = false) {
  const operation = `
security: [{ bearer: [] }, { key: [] }, { query: [] }, { session: [] }, {}]
responses: { '200': { description: It., content: { text/plain: { schema: { type: string } } } } }`;
  const contract = await contractOf(documentOf('/a', 'get', operation, SCHEMES));
  const op = async ({ caller }: { readonly caller?: { readonly name: string } }) => ({
    status: 200,
    body: caller?.name ?? 'nobody',
  });
  const { app } = await createTestApp({ contract, handlers: { op }, ignoresInvalidCredentials });
  const { status, text } = await request(app).get(target).set(headers);
  return status === 200 ? text : status;
}

test.each<[string, Record<string, string>, target: string, expected: string | number]>([
  ['no credentials', {}, '/a', 'nobody'],
  ['credentials in a place that is not documented', { 'X-Token': 'wrong', Cookie: 'other=1' }, '/a', 'nobody'],
  ['a valid token', { Authorization: `Bearer ${TOKEN}` }, '/a', 'tester'],
  ['a wrong token', { Authorization: 'Bearer wrong' }, '/a', 401],
  ['a token without a scheme', { Authorization: TOKEN }, '/a', 401],
  ['an empty token', { Authorization: '' }, '/a', 401],
  ['a valid key', { 'X-Key': TOKEN }, '/a', 'tester'],
  ['a wrong key', { 'X-Key': 'wrong' }, '/a', 401],
  ['a wrong key and a valid token', { 'X-Key': 'wrong', Authorization: `Bearer ${TOKEN}` }, '/a', 'tester'],
  ['a wrong key in the query', {}, '/a?key=wrong', 401],
  ['a wrong cookie', { Cookie: 'sid=wrong' }, '/a', 401],
])('optional credentials: %s', async (_name, headers, target, expected) => {
  expect(await send(headers, target)).toBe(expected);
});

test('an application can let invalid optional credentials count as none', async () => {
  expect(await send({ Authorization: 'Bearer wrong', Cookie: 'sid=wrong' }, '/a', true)).toBe('nobody');
  expect(await send({ Authorization: `Bearer ${TOKEN}` }, '/a', true)).toBe('tester');
});
