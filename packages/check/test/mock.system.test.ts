import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkContract } from '../src/contract-run.ts';
import { readDocument } from '../src/run/read-document.ts';
import { NO_OUTSIDE } from '@contract-first/documents';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startServiceProcess } from '@contract-first/testing/service.ts';

const ok = 'responses: { "200": { description: Done. } }';
const DOCUMENT = `
openapi: 3.0.3
info: { title: Oddities, version: 1.0.0 }
security: []
paths:
  /both: { get: { operationId: both, security: [{ one: [], two: [] }], ${ok} } }
  /options/add: { post: { operationId: addOption, ${ok} } }
  /options/{sku}: { get: { operationId: getOption, parameters: [{ name: sku, in: path, required: true, schema: { type: string } }], ${ok} } }
  /basic: { get: { operationId: basic, security: [{ basic: [] }], ${ok} } }
  /signed: { get: { operationId: signed, security: [{ signed: [] }], ${ok} } }
  /key: { get: { operationId: key, security: [{ key: [] }], parameters: [{ $ref: '#/components/parameters/key' }], ${ok} } }
  /failures: { get: { operationId: failures, responses: { '400': { description: Failed. } } } }
  /count: { get: { operationId: count, responses: { '200': { description: A number., content: { text/plain: { schema: { type: integer } } } } } } }
  /rows: { get: { operationId: rows, responses: { '200': { description: Rows., content: { text/csv: { schema: { type: array, items: { type: integer } } } } } } } }
  /parts/{id}: { get: { operationId: part, parameters: [{ name: id, in: path, required: true, content: { '*/*': { schema: { type: string, format: uuid } } } }, { name: q, in: query, content: { text/plain: { schema: { type: integer } } } }], ${ok} } }
  /files: { post: { operationId: upload, requestBody: { required: true, content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Upload' } } } }, ${ok} } }
  /text: { post: { operationId: text, requestBody: { required: true, content: { application/x-www-form-urlencoded: { schema: { type: string } } } }, ${ok} } }
  /suffix: { put: { operationId: suffix, requestBody: { required: true, content: { application/*+json: { schema: { $ref: '#/components/schemas/Paged' } } } }, ${ok} } }
  /any: { get: { operationId: any, parameters: [{ name: any, in: query, schema: { title: Any } }], ${ok} } }
  /elsewhere: { get: { operationId: here, ${ok} }, post: { operationId: there, servers: [{ url: /there }], ${ok} } }
  /pages: { get: { operationId: pages, parameters: [{ name: page, in: query, required: true, schema: { type: integer, default: 1 } }], ${ok} } }
  /either: { get: { operationId: either, responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Either' } } } } } } }
  /ranges: { get: { operationId: ranges, responses: { '200': { description: One., content: { '*/*': { schema: { type: string } }, application/json: { schema: { type: integer } } } } } } }
  /anything: { get: { operationId: anything, responses: { '200': { description: One., content: { '*': { schema: { type: string, format: binary } } } } } } }
  /overlap: { get: { operationId: overlap, responses: { '200': { description: One., content: { application/json: { schema: { $ref: '#/components/schemas/Overlap' } } } } } } }
  /rows/{row}.{format}: { get: { operationId: row, parameters: [{ name: row, in: path, required: true, schema: { type: integer } }, { name: format, in: path, required: true, schema: { type: string } }], ${ok} } }
  /socket: { get: { operationId: socket, responses: { '101': { description: Switched. } } } }
  /choices: { post: { operationId: choice, requestBody: { required: true, content: { application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Either' } } } }, ${ok} } }
  /forms: { post: { operationId: form, requestBody: { required: true, content: { multipart/form-data: { schema: { $ref: '#/components/schemas/Form' } } } }, ${ok} } }
  /fails: { get: { operationId: fails, responses: { '400': { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Problem' } } } } } } }
  /keys: { get: { operationId: keys, security: [{ key: [] }, { other: [] }], parameters: [{ $ref: '#/components/parameters/key' }, { name: other, in: query, required: true, schema: { type: string } }], ${ok} } }
  /ids/{id}: { get: { operationId: ids, parameters: [{ name: id, in: path, required: true, schema: { oneOf: [{ type: integer, minimum: 1 }, { type: string, maxLength: 9 }] } }], ${ok} } }
  /plain: { get: { operationId: plain, parameters: [{ name: text, in: query, required: true, schema: { type: string, properties: { text: { type: string } } } }], ${ok} } }
  /maps: { get: { operationId: maps, responses: { '200': { description: Maps., content: { application/json: { schema: { $ref: '#/components/schemas/Maps' } } } } } } }
  /defaults: { post: { operationId: defaults, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Defaults' } } } }, ${ok} } }
  /stickers: { post: { operationId: sticker, requestBody: { content: { multipart/form-data: { schema: { type: object, properties: { sticker: { anyOf: [{ title: Any }, { type: string }] } } } } } }, ${ok} } }
  /tiles: { get: { operationId: tiles, parameters: [{ name: set, in: query, schema: { anyOf: [{ type: integer }, { type: string }] } }], ${ok} } }
  /detect: { post: { operationId: detect, requestBody: { content: { application/x-www-form-urlencoded: { schema: { type: string, example: a text } } } }, ${ok} } }
  /projects: { post: { operationId: project, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Project' } } } }, ${ok} } }
  /media/{id}: { get: { operationId: media, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }], ${ok} } }
  /media/{id}.{format}: { get: { operationId: mediaAs, parameters: [{ name: id, in: path, required: true, schema: { type: integer } }, { name: format, in: path, required: true, schema: { type: string } }], ${ok} } }
  /shared/{id}: { get: { operationId: shared, parameters: [{ name: id, in: path, required: true, schema: { type: string } }], servers: [{ url: / }, { url: /beta }], ${ok} } }
  /shared/all: { post: { operationId: sharedAll, servers: [{ url: /beta }], ${ok} } }
  /small: { put: { operationId: small, parameters: [{ name: Content-Length, in: header, required: true, schema: { type: integer, maximum: 40 } }], requestBody: { required: true, content: { application/json: { schema: { type: object } } } }, ${ok} } }
  /deep: { get: { operationId: deep, parameters: [{ name: deep, in: query, style: deepObject, explode: true, schema: { anyOf: [{ type: object, properties: { id: { type: string } } }, { type: string, enum: ['null'] }] } }], ${ok} } }
  /backtrack: { get: { operationId: backtrack, parameters: [{ name: id, in: query, schema: { type: string, pattern: '^([a-z]+)*$', example: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!, default: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! } }], ${ok} } }
  /volumes: { put: { operationId: updateVolume, requestBody: { content: { application/json: { schema: { allOf: [{ $ref: '#/components/schemas/Volume' }, { type: object, properties: { size: { readOnly: true }, extra: { readOnly: true } } }] } } } }, ${ok} } }
components:
  securitySchemes: { other: { type: apiKey, in: query, name: other },  basic: { type: http, scheme: basic }, signed: { type: http, scheme: Example-HMAC }, key: { type: apiKey, in: query, name: key }, one: { type: http, scheme: bearer }, two: { type: http, scheme: bearer } }
  parameters: { key: { name: key, in: query, required: true, schema: { type: string } } }
  schemas:
    Volume: { type: object, properties: { size: { type: integer, example: 30 }, part: { $ref: '#/components/schemas/Volume' } } }
    Project: { type: object, properties: { name: { type: string }, slug: { type: string, readOnly: true } }, example: { name: a, slug: a-1 } }
    Upload: { allOf: [{ type: object, required: [files], properties: { files: { type: array, items: { type: string, format: binary } } } }] }
    Paged: { type: object, required: [page], properties: { page: { type: integer, default: 1 } } }
    Overlap: { oneOf: [{ properties: { text: { type: object, additionalProperties: { type: string } } } }, { properties: { text: { type: object, additionalProperties: { type: string, format: byte } } } }] }
    Form: { oneOf: [{ type: object, required: [name], properties: { name: { type: string } } }, { type: object, required: [meta], properties: { meta: { type: object } } }] }
    Problem: { oneOf: [{ type: object, required: [code], properties: { code: { type: integer } } }, { type: object, required: [code, message], properties: { code: { type: integer }, message: { type: string } } }] }
    Maps: { type: object, minProperties: 1, additionalProperties: { type: object, minProperties: 2, additionalProperties: { type: object, minProperties: 1 } } }
    Defaults: { type: object, properties: { stop: { default: null, nullable: true, oneOf: [{ type: string }, { type: array, items: {} }] } } }
    Either: { oneOf: [{ type: object, properties: { a: { type: string } } }, { type: object, properties: { b: { type: string } } }] }
`;

test('the mock of a document has no failures, and notes list undocumented responses and skipped requests', async () => {
  const path = join(temporaryFolder(), 'oddities.yaml');
  writeFileSync(path, DOCUMENT);
  const { url, token } = await startServiceProcess({ OPS_PORT: '0' }, ['contract-first', 'mock', path]);
  const { document } = await readDocument(path, NO_OUTSIDE);
  const { failures, notes } = await checkContract({
    document,
    baseUrl: url,
    token,
    seed: 1,
    runs: 5,
    budgetMs: 120_000,
  });
  expect(failures.map(({ check, operationId, message }) => [check, operationId, message])).toEqual([]);
  expect(notes).toEqual([
    'socket: not checked, as it only switches to another protocol',
    'sequences of requests were not checked for 5 resources: no operation creates resources (getOption and 4 other operations)',
    'both and 3 other operations: responds 401, which the document does not describe',
    'part and 7 other operations: responds 400, which the document does not describe',
    'upload and 6 other operations: responds 400 and 415, which the document does not describe',
    'text and 2 other operations: no valid request of application/x-www-form-urlencoded could be generated',
    'keys: responds 400 and 401, which the document does not describe',
    'sticker: responds 415, which the document does not describe',
    'backtrack: the example of the schema of query id is not valid: must match pattern "^([a-z]+)*$"',
  ]);
});

test('a document without operations needs no checks', async () => {
  const { url } = await startServiceProcess();
  const document = { openapi: '3.1.0', info: { title: 'Empty', version: '1.0.0' }, paths: {} };
  const { failures, notes, unused } = await checkContract({ document, baseUrl: url });
  expect({ failures, notes, unused }).toEqual({
    failures: [],
    notes: ['the document has no operations: nothing was checked'],
    unused: [],
  });
});
