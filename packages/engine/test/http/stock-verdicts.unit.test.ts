import fc from 'fast-check';
import { join } from 'node:path';
import request from 'supertest';
import { InvalidRequest, stringifyJson } from '@contract-first/contract';
import { compileContract } from '@contract-first/documents';
import { ROOT } from '@contract-first/testing/service.ts';
import { createValidators } from '../../src/validators.ts';
import { readOperations } from '../../../model/src/operations/list-operations.ts';
import { createArbitraries } from '../../../model/src/values/arbitrary.ts';
import { readSchemas } from '../../../model/src/values/json-schema.ts';
import { createOracle } from '../../../model/src/values/oracle.ts';
import { stock, withChanges } from './support/stock.ts';

const RUNS = 200;
// Matches no message.
const NONE = /^(?!)/;
// The middleware treats inherited object members as members of the JSON.
const INHERITED = /^request\/body\/(?:toString|constructor) must be/;

test.each([
  ['packages/testing/fixture/openapi.yaml', 'createGuest', NONE],
  ['packages/testing/applications/books/openapi.yaml', 'addBook', NONE],
  ['packages/testing/applications/sensors/openapi.yaml', 'addReading', NONE],
  ['packages/testing/applications/tenants/openapi.yaml', 'constructor', INHERITED],
])('the middleware of express-openapi-validator accepts the same bodies: %s, %s', async (path, name, explained) => {
  const { compiled } = await compileContract(join(ROOT, path));
  if (compiled === undefined) throw new Error(`${path} was rejected`);
  const { contract, document } = compiled;
  const operation = Object.values(contract.operations).find(({ operationId }) => operationId === name);
  if (operation === undefined) throw new Error(`there is no ${name}`);
  const requests = readSchemas(document, 'request');
  const [api] = readOperations(requests, readSchemas(document, 'response'), '/').filter(
    (one) => one.operationId === name,
  );
  const schema = api?.requestBody?.contents.find(({ mediaType }) => mediaType === 'application/json')?.schema;
  const validator = createValidators(contract).compileSync(operation);
  const app = stock(document, (_req, res) => void res.status(204).end());

  const ownVerdict = (body: unknown): string | undefined => {
    try {
      validator.request({ path: {}, query: {}, headers: {}, cookies: {}, mediaType: 'application/json', body });
      return undefined;
    } catch (error) {
      if (error instanceof InvalidRequest) return error.message;
      throw error;
    }
  };
  const taken = { count: 0 };
  const bodies = withChanges(createArbitraries(requests, createOracle(requests))(schema, MANNER));
  await fc.assert(
    fc.asyncProperty(bodies, async (value) => {
      const text = stringifyJson(value);
      const own = ownVerdict(JSON.parse(text));
      const url = `${contract.basePaths[0] ?? ''}${operation.path}`;
      const response = await request(app).post(url).type('json').send(text);
      const message = response.text;
      if (own === undefined) taken.count += 1;
      if (own === undefined && explained.test(message)) return;
      // The middleware fails for `null` if a discriminator is documented.
      const isTaken = response.status === 204;
      expect([text, isTaken, message]).toEqual([text, own === undefined, message]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
  expect(taken.count).toBeGreaterThan(RUNS / 10);
});

const MANNER = { text: 'well-formed', extras: true, plain: false } as const;
