import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContract } from '@contract-first/documents';
import { startMock } from '@contract-first/mock';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import type { CheckName } from '../src/judgement/checks.ts';
import type { ContractOptions } from '../src/run/contract-options.ts';
import type { ContractResult } from '../src/run/contract-result.ts';
import type { GivenValue } from '../src/run/selection.ts';
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

/** Returns a document whose only operation receives a value of a schema. */
const receiving = (schema: string): string => `
openapi: 3.1.0
info: { title: Shapes, version: 1.0.0 }
security: []
paths:
  /shapes:
    post:
      operationId: addShape
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Shape' } } } }
      responses: { '204': { description: Added. }, '400': { description: Refused. } }
components:
  schemas:
    Shape:${schema}
`;

/** Objects with the properties of one alternative only. */
const ALTERNATIVES = receiving(`
      type: object
      required: [kind]
      properties: { kind: { enum: [a, b] } }
      oneOf:
        - { required: [x], properties: { kind: { const: a }, x: { type: integer } } }
        - { required: [y], properties: { kind: { const: b }, y: { type: string } } }
      unevaluatedProperties: false`);

/** Objects with an optional property. Few random values are valid. */
const CONDITIONS = receiving(`
      type: object
      required: [country]
      properties: { country: { enum: [US, NL] }, zip: { type: string } }
      if: { properties: { country: { const: US } } }
      then: { required: [zip], properties: { zip: { pattern: '^\\d{5}$' } } }
      else: { properties: { zip: { pattern: '^\\d{4} [A-Z]{2}$' } } }`);

/** A parameter that may be sent without a value. */
const EMPTY_VALUE = `
openapi: 3.1.0
info: { title: Logs, version: 1.0.0 }
security: []
paths:
  /logs:
    get:
      operationId: listLogs
      parameters: [{ name: level, in: query, allowEmptyValue: true, schema: { type: integer } }]
      responses: { '204': { description: None. }, '400': { description: Refused. } }
`;

const REDIRECTS = `
openapi: 3.1.0
info: { title: Links, version: 1.0.0 }
security: []
paths: { /link: { get: { operationId: follow, responses: { 3XX: { description: Elsewhere. } } } } }
`;

/** A file whose size is limited. */
const FILE = `
openapi: 3.1.0
info: { title: Files, version: 1.0.0 }
security: []
paths:
  /files:
    post:
      operationId: addFile
      requestBody: { required: true, content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Upload' } } } }
      responses: { '204': { description: Added. }, '400': { description: Refused. } }
components:
  schemas:
    Upload: { type: object, required: [file], properties: { file: { type: string, format: binary, maxLength: 3 } } }
`;

/** Response headers in both forms of the style `simple`. */
const OBJECTS_IN_HEADERS = `
openapi: 3.1.0
info: { title: Sizes, version: 1.0.0 }
security: []
paths:
  /size:
    get:
      operationId: getSize
      responses:
        '204':
          description: Read.
          headers:
            X-Size: { required: true, explode: true, schema: { $ref: '#/components/schemas/Size' } }
            X-Limit: { required: true, schema: { $ref: '#/components/schemas/Size' } }
components:
  schemas:
    Size: { type: object, required: [width], properties: { width: { type: integer } } }
`;

/** Ranges of media types; each range includes the next. */
const RANGES = `
openapi: 3.1.0
info: { title: Ranges, version: 1.0.0 }
security: []
paths:
  /anything:
    post:
      operationId: addAnything
      requestBody:
        required: true
        content:
          '*/*': {}
          application/*: { schema: { type: string, maxLength: 5 } }
          application/octet-stream: { schema: { type: string, maxLength: 1 } }
      responses: { '204': { description: Added. }, '400': { description: Refused. }, '415': { description: Refused. } }
`;

/** A path with characters that a URL must not contain. */
const UNICODE_PATH = `
openapi: 3.1.0
info: { title: Doors, version: 1.0.0 }
security: []
paths:
  /türen/{id} x:
    get:
      operationId: getDoor
      parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
      responses: { '204': { description: Read. }, '400': { description: Refused. } }
`;

/** A single resource below a role, which no operation creates or lists. */
const PERMISSIONS = `
openapi: 3.1.0
info: { title: Roles, version: 1.0.0 }
security: []
paths:
  /realms/{realm}: ${operationsOn('Realm', 'realm')}
  /realms/{realm}/roles/{role}/permissions: ${operationsOn('Permissions', 'realm', 'role')}
components:
  schemas:
    Realm: { type: object, required: [title], properties: { title: { type: string } } }
    Permissions: { type: object, required: [level], properties: { level: { type: integer } } }
`;

/** Collections that a PUT replaces as a whole, below each other. */
const COLLECTIONS = `
openapi: 3.1.0
info: { title: Policies, version: 1.0.0 }
security: []
paths:
  /policies/{id}: ${operationsOn('Policy', 'id')}
  /policies/{id}/entries: ${operationsOn('Entries', 'id')}
  /policies/{id}/entries/{label}: ${operationsOn('Entry', 'id', 'label')}
  /policies/{id}/entries/{label}/subjects: ${operationsOn('Subjects', 'id', 'label')}
  /policies/{id}/entries/{label}/subjects/{name}: ${operationsOn('Subject', 'id', 'label', 'name')}
components:
  schemas:
    Policy: { type: object, required: [title], properties: { title: { type: string } } }
    Entries: { type: object, additionalProperties: { $ref: '#/components/schemas/Entry' } }
    Entry: { type: object, required: [level], properties: { level: { type: integer } } }
    Subjects: { type: object, additionalProperties: { $ref: '#/components/schemas/Subject' } }
    Subject: { type: object, required: [kind], properties: { kind: { type: string } } }
`;

/** Resources below each other whose ids the client chooses. */
const SHELVES = `
openapi: 3.1.0
info: { title: Shelves, version: 1.0.0 }
security: []
paths:
  /shelves/{id}: ${operationsOn('Shelf', 'id')}
    delete: { operationId: deleteShelf, responses: { '204': { description: Deleted. }, '404': { description: Missing. } } }
  /shelves/{id}/boxes/{label}: ${operationsOn('Box', 'id', 'label')}
  /shelves/{id}/boxes/{label}/parts/{name}: ${operationsOn('Part', 'id', 'label', 'name')}
components:
  schemas:
    Shelf: { type: object, required: [title], properties: { title: { type: string } } }
    Box: { type: object, required: [level], properties: { level: { type: integer } } }
    Part: { type: object, required: [kind], properties: { kind: { type: string } } }
`;

/** Checks a mock of another document. Returns the failed checks. */
async function failuresWith(served: string, checks?: readonly CheckName[]): Promise<readonly string[]> {
  const mock = await startMock(write(served));
  cleanUp(mock.close);
  const { failures } = await checkContract({
    document,
    baseUrl: mock.url,
    seed: 1,
    runs: 5,
    budgetMs: 120_000,
    ...(checks && { checks: new Set(checks) }),
  });
  return failures.map(({ check }) => check);
}

/** Checks a mock of the checked document. */
async function checkMockOf(text: string, options: Partial<ContractOptions>): Promise<ContractResult> {
  const path = write(text);
  const { document: checked, diagnostics } = await loadContract(path, 'validity');
  if (checked === undefined) throw new Error(JSON.stringify(diagnostics));
  await using mock = await startMock(path);
  return await checkContract({ document: checked, baseUrl: mock.url, seed: 1, runs: 5, budgetMs: 120_000, ...options });
}

test('a service of the same document passes the checks', async () => {
  expect(await failuresWith(DOCUMENT)).toEqual([]);
});

test.each([
  ['properties of alternatives and names of Object.prototype', ALTERNATIVES],
  ['a parameter with an empty value', EMPTY_VALUE],
  ['an optional property whose valid values are rare', CONDITIONS],
  ['objects in response headers', OBJECTS_IN_HEADERS],
  ['a file of a limited size', FILE],
  ['a range of redirects as the only success', REDIRECTS],
  ['ranges of media types that include each other', RANGES],
  ['a path that URLs must encode', UNICODE_PATH],
])('a service of the same document passes the checks: %s', async (_name, text) => {
  const { failures, notes } = await checkMockOf(text, { seed: 3, runs: 30 });
  expect([failures, notes.filter((note) => note.includes('could be generated'))]).toEqual([[], []]);
});

test.each([
  ['a PUT of a whole collection', COLLECTIONS, 10],
  ['a sequence whose client chooses the ids', SHELVES, 7],
])('%s removes no resources that other sequences read', async (_name, text, count) => {
  const checks = new Set<CheckName>(['ensure_resource_availability', 'update_is_visible']);
  const { failures, operations } = await checkMockOf(text, { checks, workers: 8 });
  expect([failures, operations.length]).toEqual([[], count]);
});

test.each<[string, readonly GivenValue[], boolean]>([
  ['by no request', [], false],
  ['by an option', [{ operation: undefined, name: 'role', value: 'admin' }], true],
])('a read and a write of a resource have the same ids: known %s', async (_name, values, isJudged) => {
  const checks = new Set<CheckName>(['update_is_visible']);
  const { failures, notes } = await checkMockOf(PERMISSIONS, { checks, values });
  expect([failures, notes.some((note) => note.includes('set an id with --value role=…'))]).toEqual([[], !isJudged]);
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

/** Returns the operations on a path that read, and replace or create. */
function operationsOn(schema: string, ...parameters: readonly string[]): string {
  const content = `content: { application/json: { schema: { $ref: '#/components/schemas/${schema}' } } }`;
  const inPath = parameters.map((name) => `{ name: ${name}, in: path, required: true, schema: { type: string } }`);
  const failures = "'400': { description: Refused. }, '404': { description: Missing. }";
  const operation = (name: string, rest: string): string => `{ operationId: ${name}${schema}, ${rest}, ${failures} } }`;
  return `
    parameters: [${inPath.join(', ')}]
    get: ${operation('get', `responses: { '200': { description: Read., ${content} }`)}
    put: ${operation('put', `requestBody: { required: true, ${content} }, responses: { '201': { description: Added. }, '204': { description: Replaced. }`)}`;
}

function write(text: string): string {
  const path = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(path, text);
  return path;
}
