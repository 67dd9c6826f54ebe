import request from 'supertest';
import { expectProblem } from '@contract-first/testing/answer.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { contractOf, documentOf } from '@contract-first/testing/contract.ts';

// The maximum number of members of a schema.
const NAMES = Array.from({ length: 2_000 }, (_, index) => `p${String(index)}`);
const [FIRST = '', LAST = ''] = [NAMES[0], NAMES.at(-1)];
const INTEGER = { type: 'integer' };
const ALL = mapOf(1);
const LAST_INVALID = { ...ALL, [LAST]: 'x' };
const ALTERNATIVES = NAMES.map((name) => ({ type: 'object', required: [name], properties: { [name]: INTEGER } }));
const BOTH = { [FIRST]: 1, [LAST]: 1 };
// Each name is tested against each pattern.
const PATTERNS = Object.fromEntries(NAMES.map((name) => [`^${name}$`, INTEGER]));

function mapOf(value: unknown): Record<string, unknown> {
  return Object.fromEntries(NAMES.map((name) => [name, value]));
}

test.each<[name: string, schema: object, valid: unknown, invalid: unknown, detail: RegExp]>([
  [
    'properties that are required',
    { required: NAMES, properties: mapOf(INTEGER) },
    ALL,
    { ...LAST_INVALID, [FIRST]: undefined },
    /^body must have required property 'p0'(?:; body\/p1999 must be integer)?$/,
  ],
  [
    'properties and no others',
    { properties: mapOf(INTEGER), additionalProperties: false },
    ALL,
    { constructor: 1 },
    /^body must NOT have additional properties$/,
  ],
  [
    'properties with defaults and nothing unevaluated',
    { allOf: [{ properties: mapOf({ ...INTEGER, default: 1 }) }], unevaluatedProperties: false },
    {},
    { constructor: 1 },
    /^body must NOT have unevaluated properties$/,
  ],
  [
    'properties of properties',
    { properties: mapOf({ type: 'object', required: ['a'], properties: { a: INTEGER } }) },
    mapOf({ a: 1 }),
    { ...mapOf({ a: 1 }), [LAST]: {} },
    /^body\/p1999 must have required property 'a'$/,
  ],
  [
    'patternProperties and others',
    { patternProperties: PATTERNS, additionalProperties: { type: 'boolean' } },
    { ...BOTH, p2000: true },
    { p2000: 1 },
    /^body\/p2000 must be boolean$/,
  ],
  ['allOf', { allOf: ALTERNATIVES }, ALL, LAST_INVALID, /^body\/p1999 must be integer$/],
  ['anyOf', { anyOf: ALTERNATIVES }, BOTH, {}, /^body must match a schema in anyOf$/],
  [
    'oneOf',
    { oneOf: ALTERNATIVES },
    { [LAST]: 1 },
    { [FIRST]: 1, [NAMES[1] ?? '']: 1, [LAST]: 1 },
    /^body must match exactly one schema in oneOf$/,
  ],
  [
    'oneOf and nothing unevaluated',
    { oneOf: ALTERNATIVES, unevaluatedProperties: false },
    { [FIRST]: 1 },
    { [FIRST]: 1, other: 1 },
    /^body must NOT have unevaluated properties$/,
  ],
  [
    'dependentRequired',
    { dependentRequired: { ...mapOf([FIRST]), [FIRST]: NAMES } },
    ALL,
    { [LAST]: 1 },
    /^body must have property p0 when property p1999 is present$/,
  ],
  [
    'dependentSchemas',
    { dependentSchemas: Object.fromEntries(NAMES.map((name) => [name, { properties: { [name]: INTEGER } }])) },
    ALL,
    LAST_INVALID,
    /^body\/p1999 must be integer$/,
  ],
  [
    'prefixItems',
    { type: 'array', prefixItems: NAMES.map(() => INTEGER), items: { type: 'boolean' } },
    [...NAMES.map(() => 1), true],
    [...NAMES.slice(1).map(() => 1), 'x'],
    /^body\/1999 must be integer$/,
  ],
])('a schema with 2,000 members is validated: %s', async (_name, schema, valid, invalid, detail) => {
  const body =
    'requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/S" } } } }';
  const contract = await contractOf(
    documentOf(
      '/op',
      'post',
      `${body}\nresponses: { '204': { description: Done. } }`,
      `components: { schemas: { S: ${JSON.stringify({ type: 'object', ...schema })} } }`,
    ),
  );
  const { app } = await createTestApp({ contract, handlers: { op: async () => ({ status: 204 }) } });
  const post = (value: unknown) =>
    request(app)
      .post('/op')
      .send(value as object);
  expect((await post(valid)).status).toBe(204);
  expectProblem(await post(invalid), 400, detail);
});
