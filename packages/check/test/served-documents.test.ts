import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContract } from '@contract-first/documents';
import { startMock } from '@contract-first/mock';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import type { CheckName } from '../src/judgement/checks.ts';
import { checkContract } from '../src/contract-run.ts';

// A service that validates by another document than the checked one has the faults in which the documents differ.

const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
security: []
paths:
  /things:
    post:
      operationId: addThing
      parameters:
        - { name: X-Source, in: header, required: true, schema: { type: string, enum: [web, shop] } }
        - { name: page, in: query, schema: { type: integer, format: int64, minimum: 1 } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses: { '204': { description: Added. }, '400': { description: Refused. } }
components:
  schemas:
    Base: { type: object, required: [id, name], properties: { id: { type: integer, readOnly: true }, name: { type: string, minLength: 1 } } }
    Thing:
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object
          required: [kind, code]
          properties:
            kind: { type: string, enum: [big, small] }
            version: { const: { major: 1 } }
            code: { type: string, pattern: '^[a-z]{2}\\d$' }
            count: { type: integer, format: int64 }
            tags: { type: array, items: { type: string }, uniqueItems: true }
            size: { oneOf: [{ type: integer }, { type: string, maxLength: 3 }] }
            until: { type: string, format: date-time }
`;

const loaded = await loadContract(write(DOCUMENT), 'validity');
if (loaded.document === undefined) throw new Error(JSON.stringify(loaded.diagnostics));
const document = loaded.document;

/** Checks a mock of another document. Returns the failed checks. */
async function failuresWith(served: string, checks?: readonly CheckName[]): Promise<readonly string[]> {
  const mock = await startMock(write(served));
  cleanUp(mock.close);
  const { failures } = await checkContract({
    ...{ document, baseUrl: mock.url, seed: 1, runs: 5, budgetMs: 120_000 },
    ...(checks && { checks: new Set(checks) }),
  });
  return failures.map(({ check }) => check);
}

test('a service of the same document passes the checks', async () => {
  expect(await failuresWith(DOCUMENT)).toEqual([]);
});

const REJECTION = 'negative_data_rejection';

test.each([
  [REJECTION, 'every value is in an enum', ', enum: [big, small]', ''],
  [REJECTION, 'every value is constant', '{ const: { major: 1 } }', '{}'],
  [REJECTION, 'items need not be unique', ', uniqueItems: true', ''],
  [REJECTION, 'every text matches a pattern', ", pattern: '^[a-z]{2}\\d$'", ''],
  [REJECTION, 'an int64 has more than 64 bits', 'count: { type: integer, format: int64 }', 'count: { type: integer }'],
  [REJECTION, 'no property is required', 'required: [kind, code]', 'required: []'],
  [REJECTION, 'the first part of allOf is ignored', "- $ref: '#/components/schemas/Base'", '- {}'],
  [REJECTION, 'every timestamp is valid', ', format: date-time', ''],
  ['positive_data_acceptance', 'a readOnly property is required', ', readOnly: true', ''],
  ['missing_required_header', 'no header is required', 'in: header, required: true', 'in: header'],
] as const)('%s fails for a service for which %s', async (check, _name, text, replacement) => {
  expect(DOCUMENT.split(text)).toHaveLength(2);
  expect(await failuresWith(DOCUMENT.replace(text, replacement), [check])).toContain(check);
});

function write(text: string): string {
  const path = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(path, text);
  return path;
}
