import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startMock } from '../src/start-mock.ts';

/** Returns a document whose only operation receives a T. */
const document = (schemas: string): string => `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
security: []
paths:
  /t:
    post:
      operationId: addThing
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/T' } } } }
      responses: { '204': { description: Added. } }
components:
  schemas:
    ${schemas.trim().replaceAll('\n', '\n    ')}
`;

/** Writes a document and other files, serves it, and returns the statuses of requests with JSON bodies. */
async function statusesOf(text: string, bodies: readonly unknown[], files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries({ ...files, 'openapi.yaml': text }))
    writeFileSync(join(folder, name), content);
  await using mock = await startMock(join(folder, 'openapi.yaml'));
  return await Promise.all(
    bodies.map(async (body) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      return (await fetch(`${mock.url}/t`, init)).status;
    }),
  );
}

test('keywords of OpenAPI 3.0 mean the same in later versions', async () => {
  const text = document(`
T:
  type: object
  properties:
    size: { type: integer, minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false }
    name: { type: string, nullable: true, examples: { a: { value: b } } }
    nullable: { type: boolean }
    other: { $ref: 'other.yaml#/Other' }`);
  const files = { 'other.yaml': 'Other: { type: string, nullable: true }' };
  const valid = [{ size: 1 }, { size: 5 }, { name: null }, { nullable: true }, { other: null }];
  expect(await statusesOf(text, valid, files)).toEqual([204, 204, 204, 204, 204]);
  const invalid = [{ size: 0 }, { size: 6 }, { name: 1 }, { nullable: null }, { other: 1 }];
  expect(await statusesOf(text, invalid, files)).toEqual([400, 400, 400, 400, 400]);
});
