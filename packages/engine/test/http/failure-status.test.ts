import request from 'supertest';
import { Unavailable, type FailureDetails } from '@contract-first/contract';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';
import type { Application } from '@contract-first/engine';

/** The part of the request that is wrong. */
type Fault = 'no token' | 'no scope' | 'path' | 'query' | 'body' | 'large' | 'media type' | 'database';

const FAILURE = '{ description: No., content: { application/json: { schema: { type: object, title: Failure } } } }';
const SCHEMES = `components: { securitySchemes: { key: { type: http, scheme: bearer } } }`;

/** Serves PUT /a/{id} with failures of the given statuses. Returns the status and the body of a faulty request. */
async function failWith(fault: Fault, statuses: readonly string[], failureStatus?: Application['failureStatus']) {
  const operation = `
security: [{ key: [${fault === 'no scope' ? 'write' : ''}] }]
x-body-limit-bytes: 100
parameters:
  - { name: id, in: path, required: true, schema: { type: integer } }
  - { name: limit, in: query, schema: { type: integer } }
requestBody: { required: true, content: { application/json: { schema: { type: object } } } }
responses: { '204': { description: Done. }${statuses.map((status) => `, '${status}': ${FAILURE}`).join('')} }`;
  const contract = await contractOf(documentOf('/a/{id}', 'put', operation, SCHEMES));
  const names = Object.values(contract.operations).flatMap(({ responses }) =>
    Object.values(responses).flatMap(({ failure }) => failure ?? []),
  );
  const { app } = await createTestApp({
    contract,
    handlers: {
      op: async () => {
        if (fault === 'database') throw new Unavailable('the database is unavailable');
        return { status: 204 };
      },
    },
    failures: Object.fromEntries(names.map((name) => [name, (details: FailureDetails) => ({ shown: details.status })])),
    failureStatus,
    checkers: { key: ({ authorization }) => (authorization === `Bearer ${TOKEN}` ? { name: 'Ada' } : undefined) },
  });
  const target = fault === 'path' ? '/a/x' : fault === 'query' ? '/a/1?limit=x' : '/a/1';
  const body = fault === 'body' ? '[]' : fault === 'large' ? `{"a":"${'x'.repeat(200)}"}` : '{}';
  const response = await request(app)
    .put(target)
    .set({
      ...(fault !== 'no token' && { Authorization: `Bearer ${TOKEN}` }),
      'Content-Type': fault === 'media type' ? 'text/plain' : 'application/json',
    })
    .send(body);
  return { status: response.status, shown: (response.body as { readonly shown?: number }).shown };
}

test.each<[Fault, documented: readonly string[], status: number]>([
  ['body', ['400', '422'], 400],
  ['body', ['422'], 422],
  ['query', ['422', 'default'], 422],
  ['query', ['4XX'], 400],
  ['query', ['404', '500'], 400],
  ['path', ['404'], 404],
  ['path', ['404', '422'], 422],
  ['path', ['404', 'default'], 400],
  ['no token', ['403'], 403],
  ['no token', ['403', 'default'], 401],
  ['no scope', ['401', '404'], 401],
  ['no scope', ['404'], 404],
  ['large', ['400'], 400],
  ['large', ['400', 'default'], 413],
  ['media type', ['422'], 422],
  ['media type', ['400', '415'], 415],
  ['database', ['500'], 500],
  ['database', ['500', '503'], 503],
])('the failure of a wrong %s has a status of %j: %i', async (fault, documented, expected) => {
  const { status, shown } = await failWith(fault, documented);
  expect(status).toBe(expected);
  expect(shown).toBe(expected);
});

test.each<[Fault, status: number]>([
  ['no scope', 404],
  ['body', 400],
])('the application decides the status of a wrong %s: %i', async (fault, expected) => {
  const hidden: Application['failureStatus'] = ({ status }) => (status === 403 ? 404 : undefined);
  expect(await failWith(fault, ['400', '401', '403', '404'], hidden)).toEqual({ status: expected, shown: expected });
});
