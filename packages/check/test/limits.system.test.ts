import { checkContract } from '../src/contract-run.ts';
import { malformedBodies } from '../../model/src/cases/malformed-bodies.ts';
import { readOperations } from '../../model/src/operations/list-operations.ts';
import { readSchemas } from '../../model/src/values/json-schema.ts';
import { SERVERS_WITH_WRONG_LIMITS } from './support/limit-defects.ts';
import { documentWith } from '@contract-first/testing/document.ts';
import { limitedDocument, limitedServer } from './support/limited-server.ts';
import { startReferenceServer } from './support/reference-server.ts';

const limited = { document: limitedDocument, seed: 1, runs: 5, budgetMs: 120_000 };

test('a server that implements the limits of its document passes every check', async () => {
  const { failures, notes } = await checkContract({ ...limited, baseUrl: await startReferenceServer(limitedServer()) });
  expect({ failures, notes }).toEqual({ failures: [], notes: [] });
});

test.each(SERVERS_WITH_WRONG_LIMITS)('a server that %s fails %s of %s', async (_name, check, operation, defect) => {
  const baseUrl = await startReferenceServer(defect);
  const { failures } = await checkContract({ ...limited, baseUrl, operations: [operation] });
  const found = failures.map((failure) => `${failure.check} ${failure.operationId}`);
  expect([...new Set(found)]).toEqual([`${check} ${operation}`]);
});

test.each([42, -1.5, true, null, 'a', [1], { a: 1 }])('no malformed body derived from %j is valid JSON', (value) => {
  const requestBody = { required: true, content: { 'application/json': { schema: {} } } };
  const put = { operationId: 'putValue', requestBody, responses: {} };
  const schemas = readSchemas(documentWith({ '/value': { put } }), 'request');
  const [operation] = readOperations(schemas, schemas);
  const content = operation?.requestBody?.contents[0];
  if (operation === undefined || content === undefined) throw new Error('there is no body');
  const malformed = malformedBodies(operation, { parameters: [], body: { content, value } });
  const wrong = malformed.filter(({ kind, contentType }) => kind === 'negative' && contentType === 'application/json');
  expect(wrong.length).toBeGreaterThan(10);
  for (const { bytes } of wrong) {
    expect(
      () => JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) as unknown,
    ).toThrow();
  }
});
