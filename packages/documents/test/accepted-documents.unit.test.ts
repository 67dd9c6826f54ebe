import { warningsOf } from '@contract-first/testing/contract.ts';

/** Returns a document with one operation in flow style, and further members. */
const document = (operation: string, rest = '', version = '3.1.0'): string => `
openapi: ${version}
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /things/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { responses: { '204': { description: Done. } }, ${operation} }
${rest}`;
const body = (schema: string): string => `requestBody: { content: { application/json: { schema: ${schema} } } }`;

test('an empty content of a response without content causes no warning', async () => {
  const text = document('tags: [a]').replace('description: Done.', 'description: Done., content: {}');
  expect(await warningsOf(text)).toBe('');
});

test.each([
  ['no operationId', document('tags: [a]')],
  ['an operationId that is not an identifier', document('operationId: get-thing')],
  ['ambiguous paths', document('x-a: 1').replace('components', '  /things/new: { get: { responses: {} } }')],
  ['a style of paths', document('x-a: 1').replace('required: true', 'required: true, style: matrix')],
  ['a parameter that is XML', document('parameters: [{ name: p, in: query, content: { application/xml: {} } }]')],
  [
    'a list of objects in a query',
    document('parameters: [{ name: p, in: query, schema: { type: array, items: { type: object } } }]'),
  ],
  ['a default that is a decimal multiple', document(body('{ type: number, multipleOf: 0.01, default: 0.07 }'))],
  [
    'an example elsewhere',
    document('tags: [a]').replace(
      "'204': { description: Done.",
      `'200': { description: Done., content: { text/plain: { examples: { a: { externalValue: 'https://example.invalid/a' } } } }`,
    ),
  ],
  ['an unusual name in a path', document('tags: [a]').replace('{id}', '{id:}').replace('name: id,', "name: 'id:',")],
  ['a form without a schema', document('requestBody: { content: { multipart/form-data: {} } }')],
  ['servers of an operation', document('servers: [{ url: /v2 }]')],
  [
    'any security scheme',
    document('security: [{ basic: [] }]', 'components: { securitySchemes: { basic: { type: http, scheme: basic } } }'),
  ],
  [
    'a schema of something that is not JSON',
    document('requestBody: { content: { application/xml: { schema: { type: object } } } }'),
  ],
  ['a schema with an $id', document(body('{ $id: "https://example.org/a", type: string }'))],
  [
    'a reference into a schema',
    document(
      body('{ $ref: "#/components/schemas/A/properties/b" }'),
      'components: { schemas: { A: { properties: { b: { type: string } } } } }',
    ),
  ],
  [
    'a reference to the response of another operation',
    document(
      'operationId: a',
      `  /other: { get: { responses: { '204': { $ref: '#/paths/~1things~1%7Bid%7D/get/responses/204' } } } }`,
    ),
  ],
  [
    'a reference into a path that no client can call',
    document(
      "parameters: [{ $ref: '#/paths/~1things~1{id}%23new/get/parameters/0' }]",
      "  '/things/{id}#new': { get: { parameters: [{ name: n, in: query, schema: {} }], responses: {} } }",
    ),
  ],
  [
    'a path item by reference',
    document(
      'operationId: a',
      '  /other: { $ref: "#/components/pathItems/p" }\ncomponents: { pathItems: { p: { get: { responses: {} } } } }',
    ),
  ],
  [
    'failures of any shape',
    document('x-a: 1').replace("'204'", "'400': { description: No., content: { text/html: {} } }, '204'"),
  ],
  ['nullable without a type', document(body('{ nullable: true, allOf: [{ type: string }] }'), '', '3.0.3')],
  ['a pattern with a needless escape', document(body(String.raw`{ type: string, pattern: '^[a\-z]+$' }`))],
  ['a path with a star', document('x-a: 1').replace('/things/{id}', '/things/*/{id}')],
  [
    'examples with a member id',
    document(
      body(
        '{ oneOf: [{ type: object, example: { id: a } }, { type: array, example: [{ id: a }], items: { example: { id: 1 } } }] }',
      ),
      '',
      '3.0.3',
    ),
  ],
  ['a reference in an extension', document('x-a: { $ref: "#/nowhere" }')],
  [
    'a misplaced property of a schema, with a reference',
    document(
      body("{ type: object, a: { oneOf: [{ $ref: '#/components/schemas/A' }] } }"),
      'components: { schemas: { A: {} } }',
    ),
  ],
  ['a schema with nullable in 3.2', document(body('{ nullable: true, type: string }'), '', '3.2.0')],
  [
    'a response without a description in 3.2',
    document('x-a: 1, responses: { default: { summary: No. } }', '', '3.2.0').replace(
      "responses: { '204': { description: Done. } }, ",
      '',
    ),
  ],
  [
    'everything else that is new in 3.2',
    document(
      `security: [{ '#/components/securitySchemes/device': [read] }], tags: [child],
      requestBody: { content: { application/json: { $ref: '#/components/mediaTypes/thing' } } }`,
      `servers: [{ url: /v1, name: main }]
tags: [{ name: parent, summary: Parent, kind: nav }, { name: child, parent: parent }]
$self: https://example.org/openapi
components:
  mediaTypes:
    thing:
      schema: { $ref: 'https://example.org/openapi#/components/schemas/Thing' }
      examples: { a: { dataValue: { kind: cat }, serializedValue: '{"kind":"cat"}' } }
  schemas:
    Cat: { type: object }
    Thing:
      type: object
      properties: { kind: { type: string, xml: { nodeType: attribute } } }
      oneOf: [{ $ref: '#/components/schemas/Cat' }]
      discriminator: { propertyName: kind, defaultMapping: Cat }
  securitySchemes:
    device:
      type: oauth2
      deprecated: true
      oauth2MetadataUrl: https://example.org/.well-known/oauth-authorization-server
      flows:
        deviceAuthorization:
          deviceAuthorizationUrl: https://example.org/device
          tokenUrl: https://example.org/token
          scopes: { read: Read. }`,
      '3.2.0',
    ),
  ],
])('a valid document is accepted: %s', async (_name, text) => {
  expect(await warningsOf(text)).not.toContain('error:');
});

test.each([
  [
    'no security',
    document('operationId: a').replace('security: []\n', ''),
    /warn: one operation is public, since there is no security/,
  ],
  [
    'a path that a query follows',
    document('tags: [a]').replace('/things/{id}', '/things?id={id}').replace('in: path', 'in: query'),
    /warn: no client can call this path, so it is not served: a query is not part of the path/,
  ],
  [
    'a path with a fragment',
    document('tags: [a]').replace('/things/{id}', "'/things/{id}#new'"),
    /warn: no client can call this path, so it is not served: clients never send the part after #/,
  ],
  [
    'an operation hidden by another operation',
    document(
      'operationId: a',
      "  '/thing%73/{a}': { get: { parameters: [{ name: a, in: path, required: true, schema: {} }], responses: {} } }",
    ),
    /warn: not served, since GET \/things\/\{id\} matches the same requests: remove one/,
  ],
  [
    'an operation that is also in another path',
    document('operationId: a', "  /v1/things/{id}: { $ref: '#/paths/~1things~1{id}' }"),
    /paths\/~1v1~1things~1\{id\}\/get {2}warn: its operationId is getV1ThingsById, since #\/paths\/~1things~1\{id\}\/get has the operationId a$/m,
  ],
  [
    'an operation of a webhook with the operationId of another',
    document('operationId: a', 'webhooks: { w: { post: { operationId: a, responses: {} } } }'),
    /webhooks\/w\/post {2}warn: its operationId is a2, since #\/paths\/~1things~1\{id\}\/get has the operationId a$/m,
  ],
  [
    'a type that no value of an enum has',
    document(body('{ type: integer, enum: [a, b] }')),
    /warn: the type "integer" is not used, since no enum value has this type/,
  ],
  [
    'a discriminator that is not a string',
    document(
      body('{ $ref: "#/components/schemas/A" }'),
      'components: { schemas: { A: { type: object, properties: { a: { type: array } }, discriminator: { propertyName: a } } } }',
    ),
    /warn: the discriminator is not used, since a is not a string/,
  ],
  [
    'a required header of a failure',
    document('tags: [a]').replace("'204': {", "'401': { headers: { X-A: { required: true, schema: {} } },"),
    /warn: failures of the service itself have the header X-A only if failureHeaders of the application returns it/,
  ],
  [
    'a header Idempotency-Key without its failures',
    document('parameters: [{ name: idempotency-key, in: header, schema: {} }]')
      .replace('get:', 'post:')
      .replace("'204'", "'400': { description: No. }, '204'"),
    /post {2}warn: the header Idempotency-Key may cause a 409, which no response describes/,
  ],
  [
    'a required property that is excluded',
    document(body('{ additionalProperties: false, allOf: [{ required: [a], properties: { a: {} } }] }')),
    /warn: additionalProperties: false is not used, since a is required/,
  ],
  [
    'equal schemas in oneOf',
    document(body('{ oneOf: [{ type: string, description: One. }, { type: string }, { type: integer }] }')),
    /warn: equal schemas in oneOf count as one: a value would match all or none of them/,
  ],
  [
    'the content of a response without content',
    document('tags: [a]').replace('description: Done.', 'description: Done., content: { text/plain: {} }'),
    /responses\/204 {2}warn: the content is not used, since a response 204 has none/,
  ],
  [
    'a pattern of another language',
    document(body("{ type: string, pattern: '(?i)a++' }")),
    /warn: a pattern is not checked, .*\(\?i\)a\+\+/,
  ],
  [
    'a range of statuses in lower case',
    document('tags: [a]').replace("'204'", "'2xx'"),
    /responses\/2xx {2}warn: read as 2XX/,
  ],
  [
    'encoding by position',
    document(
      'requestBody: { content: { multipart/mixed: { prefixEncoding: [{ contentType: image/png }] } } }',
      '',
      '3.2.0',
    ),
    /prefixEncoding is not checked/,
  ],
  [
    'items that are not JSON',
    document('x-a: 1', '', '3.2.0')
      .replace('Done.', 'Done., content: { application/xml: { itemSchema: { type: object } } }')
      .replace('204', '200'),
    /itemSchema is not checked in application\/xml, only in JSON Lines, JSON sequences and event streams/,
  ],
  [
    'a parameter that is XML with a schema',
    document('parameters: [{ name: q, in: query, content: { application/xml: { schema: { enum: [a, b] } } } }]'),
    /parameters\/0\/content {2}warn: the schema is not checked: a value that is not JSON is passed on as text/,
  ],
  [
    'a default that does not fit its schema',
    document(body("{ properties: { v: { type: integer, default: '' } } }")),
    /warn: the default "" is not used, since it does not fit its schema/,
  ],
  [
    'a number beyond the range of a double',
    document(body('{ minimum: -1e400 }')),
    /schema\/minimum {2}warn: a number is beyond the range of a double, and is read as -1\.7976931348623157e\+308/,
  ],
  [
    'a nullable type that no value of enum has',
    document(body('{ type: boolean, nullable: true, enum: ["true", "false"] }'), '', '3.0.3'),
    /warn: the type "boolean" is not used, since no enum value has this type/,
  ],
  [
    'a default whose items do not fit their schema',
    document(body('{ properties: { v: { type: array, items: { type: array }, default: [a] } } }')),
    /warn: the default \["a"\] is not used, since it does not fit its schema/,
  ],
  [
    'a type that no alternative has',
    document(body('{ type: boolean, oneOf: [{ type: string }, { type: integer }] }')),
    /warn: the type "boolean" is not used, since no alternative has this type/,
  ],
  [
    'another dialect',
    document(body('{ $schema: "http://json-schema.org/unknown/schema#", type: string }')),
    /dialect .*unknown.* read as/,
  ],
  [
    'an int64 that may be another number',
    document(body('{ oneOf: [{ type: integer, format: int64 }, { type: number }] }')),
    /an int64 is read as a double: the body may be int64 or another number/,
  ],
  [
    'an int64 under a condition',
    document(body('{ if: {}, then: { properties: { v: { type: integer, format: int64 } } } }')),
    /the body has an int64 under then/,
  ],
])('a warning names a part that is not checked: %s', async (_name, text, warning) => {
  expect(await warningsOf(text)).toMatch(warning);
});

test('equal warnings of an operation and of a schema are one at the first place', async () => {
  const schema = '{ properties: { a: { typo: 1 }, b: { typo: 2 } } }';
  const encoding = '{ a: { style: deepObject }, b: { style: deepObject }, c: { explode: false } }';
  const mediaType = `application/x-www-form-urlencoded: { schema: ${schema}, encoding: ${encoding} }`;
  const lines = await warningsOf(document(`requestBody: { content: { ${mediaType} } }`));
  expect(lines.split('\n')).toEqual([
    expect.stringMatching(
      /^openapi\.yaml:8:\d+ .*\/properties\/a\/typo {2}warn: a schema has no typo.* \(in 2 places\)$/,
    ),
    expect.stringMatching(
      /^openapi\.yaml:8:\d+ .*\/a {2}warn: the style of the field is not supported: .* \(in 3 places\)$/,
    ),
  ]);
});
