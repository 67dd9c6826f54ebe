import { expect, test } from '@jest/globals';
import express, { type NextFunction, type Request, type Response } from 'express';
import { middleware } from 'express-openapi-validator';
import fc from 'fast-check';
import { join } from 'node:path';
import request from 'supertest';
import { InvalidRequest, stringifyJson, Validators, type Contract } from '@contract-first/contract';
import { compileContract } from '@contract-first/documents';
import { ROOT } from '@contract-first/testing/service.ts';
import { listOperations } from '../../../cli/src/check/operations.ts';
import { createArbitraries } from '../../../cli/src/values/arbitrary.ts';
import { readSchemas } from '../../../cli/src/values/dialect.ts';
import { HOSTILE_VALUES } from '../../../cli/src/values/hostile-values.ts';
import { placesOf, removeAt, replaceAt, type Json } from '../../../cli/src/values/json-value.ts';
import { createOracle } from '../../../cli/src/values/oracle.ts';

const RUNS = 200;
const PLACES = 40;
// No message is excused.
const NONE = /^(?!)/;
// The middleware takes members that every object inherits for members of the JSON.
const INHERITED = /^request\/body\/(?:toString|constructor) must be/;

test.each([
  ['openapi.yaml', 'createPlant', NONE],
  ['examples/bookshop/openapi.yaml', 'addBook', NONE],
  ['examples/sensors/openapi.yaml', 'addReading', NONE],
  ['examples/tenants/openapi.yaml', 'constructor', INHERITED],
])('the middleware of express-openapi-validator takes the same bodies: %s, %s', async (path, name, explained) => {
  const { compiled } = await compileContract(join(ROOT, path));
  if (compiled === undefined) throw new Error(`${path} was rejected`);
  const { contract, document } = compiled;
  const operation = Object.values(contract.operations).find(({ operationId }) => operationId === name);
  if (operation === undefined) throw new Error(`there is no ${name}`);
  const requests = readSchemas(document, 'request');
  const [api] = listOperations(requests, readSchemas(document, 'response'), '/').filter(
    (one) => one.operationId === name,
  );
  const schema = api?.requestBody?.contents.find(({ mediaType }) => mediaType === 'application/json')?.schema;
  const validator = new Validators(contract.document).compileSync(operation);
  const app = stock(contract);

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
  const bodies = bodiesOf(createArbitraries(requests, createOracle(requests))(schema, MANNER));
  await fc.assert(
    fc.asyncProperty(bodies, async (value) => {
      const text = stringifyJson(value);
      const own = ownVerdict(JSON.parse(text));
      const url = `${contract.basePaths[0] ?? ''}${operation.path}`;
      const response = await request(app).post(url).type('json').send(text);
      const { message = '' } = response.body as { readonly message?: string };
      if (own === undefined) taken.count += 1;
      if (own === undefined && explained.test(message)) return;
      // It fails for `null` where a discriminator is documented.
      const isTaken = response.status === 204;
      expect([text, isTaken, message]).toEqual([text, own === undefined, message]);
    }),
    { numRuns: RUNS, seed: 1 },
  );
  expect(taken.count).toBeGreaterThan(RUNS / 10);
});

const MANNER = { text: 'well-formed', extras: true, plain: false } as const;

/** Generates valid bodies, some with one part changed or removed, and arbitrary ones. */
function bodiesOf(valid: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  const changed = fc
    .tuple(valid, fc.nat(PLACES), fc.constantFrom(undefined, ...HOSTILE_VALUES))
    .map(([value, n, other]) => {
      const places = placesOf(value, PLACES);
      const place = places[n % places.length] ?? [];
      if (other !== undefined) return replaceAt(value, place, other);
      return place.length === 0 ? value : removeAt(value, place);
    });
  return fc.oneof(valid, changed, fc.jsonValue() as fc.Arbitrary<Json>);
}

/** Returns an application that uses express-openapi-validator as documented, for every operation of a contract. */
function stock({ document }: Contract): express.Express {
  const app = express();
  app.use(express.json({ strict: false }));
  const apiSpec = structuredClone(document) as unknown as Exclude<Parameters<typeof middleware>[0]['apiSpec'], string>;
  app.use(middleware({ apiSpec, validateRequests: true, validateSecurity: false }));
  app.use((_req, res) => void res.status(204).end());
  app.use(
    (
      error: { readonly status?: number; readonly message: string },
      _req: Request,
      res: Response,
      _next: NextFunction,
    ) => {
      res.status(error.status ?? 500).json({ message: error.message });
    },
  );
  return app;
}
