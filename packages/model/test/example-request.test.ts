import type { Checker } from '@contract-first/engine';
import { exampleCurl, type AnyHandler } from '@contract-first/engine/tools';
import { createTestApp, TOKEN } from '@contract-first/testing/app.ts';
import { compiledOf } from '@contract-first/testing/contract.ts';
import { runProcess } from '@contract-first/testing/service.ts';
import { exampleRequest } from '../src/scaffolds/example-request.ts';

const document = (method: string, path: string, operation: string): string => `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  ${path}:
    ${method}: { operationId: op, responses: { '204': { description: Done. } }, ${operation} }
components:
  securitySchemes:
    bearer: { type: http, scheme: bearer }
    basic: { type: http, scheme: basic }
    signature: { type: http, scheme: signature }
    inHeader: { type: apiKey, in: header, name: X-Key }
    inQuery: { type: apiKey, in: query, name: key }
    inCookie: { type: apiKey, in: cookie, name: session }
  parameters:
    Id: { name: id, in: path, required: true, schema: { type: integer, minimum: 7 } }
  requestBodies:
    Named: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Named' } } } }
  schemas:
    Named: { type: object, required: [name, at], properties: { name: { type: string, example: "O'Hara" }, at: { type: string, format: date-time } } }
`;

/**
 * Runs the curl line from the banner for a document. Returns the line, and the request that the handler received.
 *
 * @param token by default, the shell variable `TOKEN`
 */
async function runCurlLine(text: string, token?: string) {
  const compiled = await compiledOf(text);
  const example = exampleRequest(compiled);
  const contract = { ...compiled.contract, ...(example && { example }) };
  const received: unknown[] = [];
  const op: AnyHandler = (request) => {
    received.push(request);
    return Promise.resolve({ status: 204 });
  };
  const basic: Checker = ({ authorization }) =>
    authorization === `Basic ${btoa('user:password')}` ? { name: 'user' } : undefined;
  const { serve } = await createTestApp({ contract, handlers: { op }, checkers: { basic, signature: basic } });
  const { url } = await serve();
  const line = exampleCurl(contract, url, token);
  const { stdout } = await runProcess('sh', ['-c', `${line} --silent --write-out '%{http_code}'`], { TOKEN });
  return { line, stdout, request: received[0] };
}

test.each([
  ['no credentials', 'security: []', /^(?!.*test-token)/],
  ['optional credentials', 'security: [{}, { bearer: [] }]', /^(?!.*test-token)/],
  ['a bearer token', 'security: [{ bearer: [] }]', / -H 'Authorization: Bearer test-token'$/],
  ['a key in a header', 'security: [{ inHeader: [] }]', / -H 'X-Key: test-token'$/],
  ['a key in the query', 'security: [{ inQuery: [] }]', /\?key=test-token'$/],
  ['a key in a cookie', 'security: [{ inCookie: [] }]', / -b 'session=test-token'$/],
  ['a name and a password', 'security: [{ basic: [] }]', / -u 'user:password'$/],
  ['two of them', 'security: [{ bearer: [], inQuery: [] }]', /key=test-token' -H 'Authorization: Bearer test-token'$/],
  ['the alternative that curl knows', 'security: [{ signature: [] }, { inHeader: [] }]', / -H 'X-Key: test-token'$/],
])('the curl line has %s, and is answered 204', async (_name, security, form) => {
  const { line, stdout } = await runCurlLine(document('get', '/a', security), TOKEN);
  expect(line).toMatch(form);
  expect(stdout).toBe('204');
});

test.each([
  ['a bearer token', 'bearer', / -H "Authorization: Bearer \$TOKEN"$/],
  ['a key in the query', 'inQuery', /key=\$TOKEN(?:&|")/],
  ['a key in a cookie', 'inCookie', / -b "session=\$TOKEN"$/],
])('without a token to show, the curl line reads %s from the variable TOKEN', async (_name, scheme, form) => {
  const parameter = `{ name: q, in: query, required: true, example: '$\`"', schema: { type: string } }`;
  const text = document('get', '/a', `security: [{ ${scheme}: [] }], parameters: [${parameter}]`);
  const { line, stdout, request } = await runCurlLine(text);
  expect(line).toMatch(form);
  expect(stdout).toBe('204');
  expect(request).toMatchObject({ query: { q: '$`"' } });
});

test('the curl line has examples of parameters and body, and is answered 204', async () => {
  const parameters =
    "parameters: [{ $ref: '#/components/parameters/Id' }, { name: q, in: query, required: true, example: 'a & b', schema: { type: string } }]";
  const body = "requestBody: { $ref: '#/components/requestBodies/Named' }";
  const { stdout, request } = await runCurlLine(document('put', '/a/{id}', `${parameters}, ${body}`));
  expect(stdout).toBe('204');
  expect(request).toMatchObject({ path: { id: 7 }, query: { q: 'a & b' }, body: { name: "O'Hara" } });
});

test('the curl line has the fields of a form, and is answered 204', async () => {
  const schema = 'schema: { type: object, required: [a, n], properties: { a: { const: x y }, n: { type: integer } } }';
  const body = `requestBody: { required: true, content: { application/x-www-form-urlencoded: { ${schema} } } }`;
  const { stdout, request } = await runCurlLine(document('post', '/a', body));
  expect(stdout).toBe('204');
  expect(request).toMatchObject({ body: { a: 'x y', n: 0 } });
});
