import { checkContract } from '../src/contract-run.ts';
import { startReferenceServer } from './support/reference-server.ts';

// Two patterns whose texts are slow to reject, and which few texts match.
const slow = {
  type: 'string',
  allOf: [
    {
      pattern:
        '^((:|(0?|([1-9a-f][0-9a-f]{0,3}))):)((0?|([1-9a-f][0-9a-f]{0,3})):){0,6}(:|(0?|([1-9a-f][0-9a-f]{0,3})))$',
    },
    { pattern: '^(([^:]+:){7}[^:]+|(([^:]+:)*[^:]+)?::(([^:]+:)*[^:]+)?)$' },
  ],
};
const names = Array.from('abcdefghijklmnopqrstuvwxyz');
const route = {
  type: 'object',
  required: names,
  properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/components/schemas/V6' }])),
  // Rejects nearly all objects, so that all texts are generated again.
  not: { properties: { a: { maxLength: 30 } } },
};

test('a schema with values that are too slow to generate is given up once, and named', async () => {
  const list = (name: string) => ({
    name,
    in: 'query',
    content: { 'application/json': { schema: { type: 'array', minItems: 1, items: route } } },
  });
  const document = {
    openapi: '3.1.0',
    info: { title: 'Addresses', version: '1.0.0' },
    security: [],
    paths: {
      '/addresses': {
        get: {
          operationId: 'listAddresses',
          parameters: [list('from'), list('to')],
          responses: { '204': { description: 'Done' } },
        },
      },
    },
    components: { schemas: { V6: slow } },
  };
  const baseUrl = await startReferenceServer(() => ({ status: 204, headers: {}, body: '' }));
  const checks = new Set(['not_a_server_error'] as const);
  const { notes, failures, incomplete } = await checkContract({
    document,
    baseUrl,
    checks,
    seed: 1,
    runs: 10,
    budgetMs: 60_000,
  });
  expect([failures, incomplete]).toEqual([[], []]);
  const reason = '#/components/schemas/V6 rejects the values that were tried, and takes too long for more';
  expect(notes).toEqual(
    ['from', 'to'].map(
      (name) => `listAddresses: not tried, as they cannot be generated: parameter ${name} (${reason})`,
    ),
  );
});
