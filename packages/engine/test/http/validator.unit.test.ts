import fc from 'fast-check';
import request from 'supertest';
import { createValidators } from '../../src/validators.ts';
import { createArbitraries } from '../../../model/src/values/arbitrary.ts';
import { readSchemas } from '../../../model/src/values/json-schema.ts';
import type { Json } from '../../../model/src/values/json-value.ts';
import { createOracle } from '../../../model/src/values/oracle.ts';
import { InvalidRequest, InvalidResponse, stringifyJson, type Contract } from '@contract-first/contract';
import type { OpenApiDocument } from '@contract-first/documents';
import { compiledOf } from '@contract-first/testing/contract.ts';
import { stock, withChanges } from './support/stock.ts';

const RUNS = 60;

/**
 * Returns a document in which a schema describes the request body of `POST /in` and the response body of `POST /out`.
 */
function documentWith(schema: string): string {
  const content = (of: string) => `content: { application/json: { schema: ${of} } }`;
  return `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /in:
    post: { operationId: in, requestBody: { required: true, ${content(schema)} }, responses: { '204': { description: Done. } } }
  /out:
    post: { operationId: out, requestBody: { ${content('{}')} }, responses: { '200': { description: Done., ${content(schema)} } } }
components:
  schemas:
    Guest: { type: object, required: [name], properties: { name: { type: string }, tag: { type: string } } }
    NewGuest: { type: object, allOf: [{ $ref: '#/components/schemas/Guest' }, { type: object, required: [id], properties: { id: { type: integer, format: int64 } } }] }
    Tree: { type: object, required: [id], properties: { id: { type: integer }, children: { type: array, items: { $ref: '#/components/schemas/Tree' } } } }
`;
}

/** Returns a function that checks whether the engine accepts a value as a request or response body. */
function own(contract: Contract): (direction: 'in' | 'out', value: unknown) => boolean {
  const compiled = createValidators(contract);
  const validators = Object.values(contract.operations).map(
    (operation) => [operation.operationId, compiled.compileSync(operation)] as const,
  );
  const { in: input, out: output } = Object.fromEntries(validators);
  return (direction, body) => {
    try {
      const parts = { path: {}, query: {}, headers: {}, cookies: {}, mediaType: 'application/json', body };
      if (direction === 'in') input?.request(parts);
      else output?.response(200, 'application/json', body);
      return true;
    } catch (error) {
      if (error instanceof InvalidRequest || error instanceof InvalidResponse) return false;
      throw error;
    }
  };
}

/** Generates valid values of a schema, some with one part changed or removed, and arbitrary values. */
function valuesFor(document: OpenApiDocument): fc.Arbitrary<Json> {
  const schemas = readSchemas(document, 'request');
  const schema = (schemas.document as unknown as InDocument).paths['/in'].post.requestBody.content['application/json']
    .schema;
  const manner = { text: 'well-formed', extras: true, plain: false } as const;
  const valid = createArbitraries(schemas, createOracle(schemas))(schema, manner);
  return withChanges(valid);
}
type InDocument = {
  readonly paths: {
    readonly '/in': {
      readonly post: {
        readonly requestBody: {
          readonly content: { readonly 'application/json': { readonly schema: Record<string, unknown> } };
        };
      };
    };
  };
};

test.each([
  "{ $ref: '#/components/schemas/NewGuest' }",
  "{ $ref: '#/components/schemas/Tree' }",
  "{ type: array, items: { $ref: '#/components/schemas/Guest' }, minItems: 1 }",
  '{ type: object, properties: { a: { type: integer, minimum: 0, maximum: 9 }, b: { enum: [x, 1, null] } }, additionalProperties: false }',
  '{ oneOf: [{ type: integer, format: int32 }, { type: string, maxLength: 3 }, { type: object, required: [a], properties: { a: { const: 1 } } }] }',
  '{ type: object, required: [day], properties: { day: { type: string, format: date }, at: { type: string, format: date-time }, mail: { type: string, format: email } } }',
  '{ type: object, properties: { a: { type: integer }, b: { type: object, properties: { c: { type: boolean } }, required: [c] } }, minProperties: 1, maxProperties: 2 }',
  "{ type: object, properties: { n: { type: number, multipleOf: 0.5, exclusiveMaximum: 10 }, s: { type: [string, 'null'], minLength: 1 } }, patternProperties: { '^x': { type: boolean } } }",
  "{ anyOf: [{ type: array, items: { type: string }, maxItems: 2 }, { type: 'null' }, { not: { type: [array, object] } }] }",
])('the engine rejects every value that express-openapi-validator rejects: %s', async (schema) => {
  const { contract, document } = await compiledOf(documentWith(schema));
  const app = stock(document, (req, res) => {
    if (req.path === '/in') res.status(204).end();
    else res.json(req.body);
  });
  const isTaken = own(contract);
  const post = async (path: string, text: string) => (await request(app).post(path).type('json').send(text)).status;
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(valuesFor(document), async (value) => {
      const text = stringifyJson(value);
      if (isTaken('in', JSON.parse(text))) {
        taken += 1;
        expect([text, await post('/in', text)]).toEqual([text, 204]);
      }
      // The other validator treats null as a missing body, even if the schema allows null.
      if (text !== 'null' && isTaken('out', JSON.parse(text)))
        expect([text, await post('/out', text)]).toEqual([text, 200]);
    }),
    { numRuns: RUNS },
  );
  expect(taken).toBeGreaterThan(RUNS / 10);
});
