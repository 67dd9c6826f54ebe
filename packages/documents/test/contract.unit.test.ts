import { contractOf, documentOf, warningsOf } from '@contract-first/testing/contract.ts';

const TEXT = { description: 'for people', title: 'for people', $comment: 'for people', externalDocs: { url: '/' } };

/** Returns the contract of a document with one operation, `POST /a`, whose body is the component `Body`. */
async function contractWith(schemas: object, openapi = '3.1.0') {
  const body = "requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Body' } } } }";
  const responses = "responses: { '204': { description: Done. } }";
  const text = documentOf('/a', 'post', `${body}\n${responses}`, `components: ${JSON.stringify({ schemas })}`);
  return contractOf(text.replace('openapi: 3.1.0', `openapi: ${openapi}`));
}

/** Returns the schema of that body. */
async function bodyWith(schema: object, openapi?: string): Promise<unknown> {
  return (await contractWith({ Body: schema }, openapi)).schemas['#/components/schemas/Body'];
}

test('a contract contains the schemas of each part of an operation, and their references', async () => {
  const { operations, schemas } = await contractOf(`
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /a/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    post:
      operationId: op
      parameters: [{ name: X-Kind, in: header, schema: { $ref: '#/components/schemas/Kind' } }]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses:
        '200':
          description: Done.
          headers: { X-Rest: { schema: { type: integer } } }
          content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } }
components:
  schemas:
    Kind: { type: string }
    Thing: { type: object, required: [id, kind], properties: { id: { type: integer, readOnly: true }, kind: { $ref: '#/components/schemas/Kind' } } }
    Unused: { type: string }
`);
  const kind = { $ref: '#/components/schemas/Kind' };
  expect(operations['op']?.schemas).toEqual({
    parameters: {
      properties: {
        headers: { type: 'object', properties: { 'x-kind': kind } },
        params: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
      },
    },
    bodies: { 'application/json': { $ref: '#/components/schemas/Thing.sent' } },
    responses: {
      '200': {
        bodies: { 'application/json': { $ref: '#/components/schemas/Thing' } },
        headers: { type: 'object', properties: { 'x-rest': { type: 'integer' } } },
      },
    },
  });
  const properties = { id: { type: 'integer' }, kind };
  expect(schemas).toEqual({
    '#/components/schemas/Kind': { type: 'string' },
    '#/components/schemas/Thing': { type: 'object', properties, required: ['id', 'kind'] },
    '#/components/schemas/Thing.sent': {
      type: 'object',
      properties: { ...properties, id: { readOnly: true } },
      required: ['kind'],
    },
  });
});

test('a contract omits descriptions, and preserves all names and values of its schemas', async () => {
  const values = { enum: [{ title: 'kept', example: 1, 'x-own': 1 }] };
  const names = { title: { type: 'string' }, 'x-own': { type: 'string' }, examples: { const: { description: 1 } } };
  const schema = { type: 'object', required: ['title'], properties: { ...names, values } };
  const hints = { ...TEXT, 'x-own': { title: 1 }, example: {}, deprecated: true };
  const documented = { ...schema, ...hints, properties: { ...names, title: { ...names.title, ...hints }, values } };
  expect(await bodyWith(documented)).toEqual(schema);
});

test.each([
  ['nullable', { type: 'string', nullable: true, enum: ['a', null] }, { type: ['string', 'null'], enum: ['a', null] }],
  ['nullable without a type', { nullable: true, allOf: [{ type: 'string' }] }, { allOf: [{ type: 'string' }] }],
  [
    'exclusiveMinimum: true',
    { type: 'number', minimum: 1, exclusiveMinimum: true },
    { type: 'number', exclusiveMinimum: 1 },
  ],
  ['exclusiveMaximum: false', { type: 'number', maximum: 1, exclusiveMaximum: false }, { type: 'number', maximum: 1 }],
])('a contract has JSON Schema 2020-12 in place of %s of OpenAPI 3.0', async (_name, schema, converted) => {
  expect(await bodyWith(schema, '3.0.3')).toEqual(converted);
});

test('a contract has no dependencies keyword, but its JSON Schema 2020-12 equivalents', async () => {
  const dependencies = { a: ['b'], c: { required: ['d'] } };
  const converted = { dependentRequired: { a: ['b'], e: ['f'] }, dependentSchemas: { c: { required: ['d'] } } };
  expect(await bodyWith({ dependencies, dependentRequired: { e: ['f'] } })).toEqual(converted);
});

test('a contract omits a type that contradicts all alternatives', async () => {
  const oneOf = [{ type: 'string' }, { type: 'integer' }];
  expect(await bodyWith({ type: 'boolean', oneOf })).toEqual({ oneOf });
  expect(await bodyWith({ type: 'number', oneOf })).toEqual({ type: 'number', oneOf });
});

test('a contract has prefixItems instead of the item lists of older drafts, with adapted references', async () => {
  const $schema = 'http://json-schema.org/draft-07/schema#';
  const first = { type: 'string' };
  const items = [first, { $ref: '#/components/schemas/Body/items/0' }];
  const body = await bodyWith({ $schema, type: 'array', items, additionalItems: false });
  expect(body).toEqual({
    type: 'array',
    prefixItems: [first, { $ref: '#/components/schemas/Body_prefixItems_0' }],
    items: false,
  });
});

test('a contract has no discriminator', async () => {
  const oneOf = [{ type: 'object' }, { type: 'array' }];
  const body = await bodyWith({ oneOf, discriminator: { propertyName: 'kind' } });
  expect(body).not.toHaveProperty('discriminator');
});

test('a contract keeps an operation whose path is shadowed under only one of two servers', async () => {
  const done = "responses: { '204': { description: Done. } }";
  const { operations, ...rest } = await contractOf(`
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
servers: [{ url: /v1 }]
paths:
  /{a}: { get: { operationId: first, parameters: [{ name: a, in: path, required: true, schema: {} }], ${done} } }
  /{b}:
    servers: [{ url: /v1 }, { url: /v2 }]
    get: { operationId: second, parameters: [{ name: b, in: path, required: true, schema: {} }], ${done} }
`);
  expect(Object.keys(operations)).toEqual(['first', 'second']);
  expect(rest).toMatchObject({ basePaths: ['/v1'] });
  expect(rest).not.toHaveProperty('templatedBasePaths');
});

test('keywords of OpenAPI 3.0 in a later document cause one warning for each kind', async () => {
  const text = documentOf(
    '/things',
    'get',
    "responses: { '200': { description: Done., content: { application/json: { schema: { $ref: '#/components/schemas/A' } } } } }",
    `components:
  schemas:
    A: { type: object, properties: { b: { type: string, nullable: true }, c: { type: string, nullable: true } } }
    B: { type: integer, minimum: 1, exclusiveMinimum: true }`,
  );
  const lines = await warningsOf(text);
  expect(lines).toMatch(
    /^openapi\.yaml:\d+:\d+ #\/components\/schemas\/A\/properties\/b {2}warn: nullable .* \(in 2 places\)\n/,
  );
  expect(lines).toMatch(/\n.* #\/components\/schemas\/B {2}warn: exclusiveMinimum .* write numbers$/);
  expect(lines.split('\n')).toHaveLength(2);
});

test('path parameters that are not described are strings, with one warning', async () => {
  const done = "responses: { '204': { description: Done. } }";
  const id = '{ name: id, in: path, required: true, schema: { type: integer } }';
  const text = `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /a/{id}/{part}:
    get: { operationId: one, ${done} }
    put: { operationId: two, parameters: [${id}], ${done} }
  /b/{id}: { $ref: '#/components/pathItems/B' }
  /c/{id}: { parameters: [${id}], get: { operationId: four, ${done} } }
components: { pathItems: { B: { get: { operationId: three, ${done} } } } }
`;
  expect(await warningsOf(text)).toMatch(
    /^openapi\.yaml:7:\d+ #\/paths\/~1a~1\{id\}~1\{part\}\/get {2}warn: a parameter of the path .* \(in 3 places\)$/,
  );
  const { operations } = await contractOf(text);
  const parametersOf = (operationId: string) => operations[operationId]?.schemas.parameters;
  const [string, integer] = [{ type: 'string' }, { type: 'integer' }];
  const params = (properties: object) => ({ properties: { params: { properties } } });
  expect(['one', 'two', 'three', 'four'].map(parametersOf)).toMatchObject([
    params({ id: string, part: string }),
    params({ id: integer, part: string }),
    params({ id: string }),
    params({ id: integer }),
  ]);
});

test('a version that is a number is read as a string, with a warning', async () => {
  const text = documentOf('/a', 'get', "responses: { '204': { description: Done. } }").replace(
    /version: .*?(?= })/,
    'version: 1.5',
  );
  expect(await warningsOf(text)).toMatch(
    /^openapi\.yaml:\d+:\d+ #\/info\/version {2}warn: version is a number, .* "1\.5"/,
  );
  expect((await contractOf(text)).info.version).toBe('1.5');
});
