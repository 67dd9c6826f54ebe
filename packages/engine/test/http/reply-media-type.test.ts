import request from 'supertest';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

test.each([
  ['JSON, among others', ['text/csv', 'application/json'], 'application/json'],
  ['JSON, in another spelling', ['text/csv', 'Application/JSON; charset=utf-8'], 'Application/JSON; charset=utf-8'],
  ['JSON before problem details', ['application/problem+json', 'application/json'], 'application/json'],
  ['the only kind of JSON', ['text/csv', 'application/hal+json'], 'application/hal+json'],
  ['the only one', ['application/problem+json'], 'application/problem+json'],
])('200: a reply without a media type has %s', async (_name, mediaTypes, sent) => {
  const content = mediaTypes.map((mediaType) => `${mediaType}: { schema: { type: string } }`).join(', ');
  const operation = `responses: { '200': { description: It., content: { ${content} } } }`;
  const contract = await contractOf(documentOf('/a', 'get', operation));
  const op = () => Promise.resolve({ status: 200, body: 'text' });
  const { app } = await createTestApp({ contract, handlers: { op } });
  const response = await request(app).get('/a').buffer();
  expect({ type: response.headers['content-type'], body: response.text }).toEqual({
    type: sent,
    body: '"text"',
  });
});

test.each([
  ['application/json;v=1', 1, 200],
  ['application/json; v="2"', 'text', 200],
  ['application/json;v=2', 1, 500],
  ['application/json;v=3', 1, 500],
])('the parameters of a reply select its schema: %s with %j is %i', async (contentType, body, status) => {
  const content =
    'application/json;v=1: { schema: { type: integer } }, application/json;v=2: { schema: { type: string } }';
  const operation = `responses: { '200': { description: It., content: { ${content} } } }`;
  const contract = await contractOf(documentOf('/a', 'get', operation));
  const op = () => Promise.resolve({ status: 200, contentType, body });
  const { app } = await createTestApp({ contract, handlers: { op } });
  expect((await request(app).get('/a')).status).toBe(status);
});
