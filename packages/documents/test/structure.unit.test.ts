import { contractOf, warningsOf } from '@contract-first/testing/contract.ts';

/** Returns a document with one path, whose members are in flow style. */
const document = (pathItem: string, rest = '', version = '3.1.0'): string => `
openapi: ${version}
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /a: { ${pathItem} }
${rest}`;
const done = "responses: { '204': { description: Done. } }";
const get = (members: string): string => `get: { ${done}, ${members} }`;
const schema = (members: string, version?: string): string =>
  document(get('tags: [a]'), `components: { schemas: { S: ${members} } }`, version);
const scheme = (members: string): string =>
  document(get('tags: [a]'), `components: { securitySchemes: { s: { ${members} } } }`);

test.each<[string, string, string]>([
  [
    'a misspelled member',
    document(get('operationID: a')),
    '6:62 #/paths/~1a/get/operationID  error: an operation has no operationID: did you mean operationId?',
  ],
  ['an unknown member', document(get('foo: 1')), '#/paths/~1a/get/foo  error: an operation has no foo'],
  [
    'a member of a later version',
    document('query: {}'),
    '#/paths/~1a/query  error: a path item has no query before OpenAPI 3.2: write openapi: 3.2.0',
  ],
  [
    'a missing member',
    document("get: { responses: { '200': {} } }"),
    '6:29 #/paths/~1a/get/responses/200  error: a response needs description',
  ],
  [
    'one of several missing members',
    document(get('parameters: [{ name: p, in: query }]')),
    '#/paths/~1a/get/parameters/0  error: a parameter needs schema or content',
  ],
  ['responses in 3.0', document('get: {}', '', '3.0.3'), '#/paths/~1a/get  error: an operation needs responses'],
  [
    'a value of another type',
    document(get('summary: 1')),
    '#/paths/~1a/get/summary  error: summary must be a string, not 1',
  ],
  [
    'an object in place of a list',
    document(get('parameters: {}')),
    '#/paths/~1a/get/parameters  error: parameters must be a list, not an object',
  ],
  [
    'an item that is no object',
    document(get('parameters: [a]')),
    '#/paths/~1a/get/parameters/0  error: an item of parameters must be a parameter, not a string',
  ],
  [
    'an unknown value',
    document(get('parameters: [{ name: p, in: body, schema: {} }]')),
    '#/paths/~1a/get/parameters/0/in  error: in must be query, header, path or cookie, not "body"',
  ],
  [
    'a path without a slash',
    document('', '  b: {}'),
    '#/paths/b  error: b in paths must be a path, which begins with /',
  ],
  [
    'a status that is none',
    document('get: { responses: { ok: { description: a } } }'),
    '#/paths/~1a/get/responses/ok  error: ok in responses must be a status, such as 200 or 4XX, or default',
  ],
  [
    'the name of a component',
    document('', "components: { schemas: { 'a b': {} } }"),
    '#/components/schemas/a b  error: the name "a b" of a component may only have letters, digits, ".", "-" and "_"',
  ],
  [
    'a keyword of another type',
    schema('{ minLength: -1 }'),
    '#/components/schemas/S/minLength  error: minLength must be an integer of at least 0, not -1',
  ],
  [
    'an unknown type',
    schema('{ type: strin }'),
    '/S/type  error: type must be object, array, string, number, integer, boolean or null, or a list of them, not "strin"',
  ],
  [
    'an unknown type in a list',
    schema('{ type: [string, strin] }'),
    '/S/type  error: type must be object, array, string, number, integer, boolean or null, or a list of them, not "strin"',
  ],
  [
    'an unknown type in a list in 3.0',
    schema('{ type: [strin] }', '3.0.3'),
    '/S/type  error: type must be object, array, string, number, integer or boolean, not a list',
  ],
  [
    'an invalid keyword of 3.1 in 3.0',
    schema('{ minContains: -1 }', '3.0.3'),
    '/S/minContains  error: minContains must be an integer of at least 0, not -1',
  ],
  [
    'a keyword in 3.0 that names a schema',
    schema('{ $id: a }', '3.0.3'),
    '/S/$id  error: a schema has no $id before OpenAPI 3.1: write openapi: 3.1.0',
  ],
  [
    'a number that is none',
    schema('{ multipleOf: 0 }'),
    '/S/multipleOf  error: multipleOf must be a number above 0, not 0',
  ],
  [
    'an unknown keyword in 3.0',
    schema('{ requried: [a] }', '3.0.3'),
    '/S/requried  error: a schema has no requried: did you mean required?',
  ],
  [
    'a security scheme without a member of its type',
    scheme('type: apiKey, name: a'),
    '#/components/securitySchemes/s  error: a security scheme needs in',
  ],
  [
    'a member of another security scheme',
    scheme('type: http, scheme: basic, flows: {}'),
    '/s/flows  error: a security scheme of type http has no flows',
  ],
  [
    'no container',
    'openapi: 3.1.0\ninfo: { title: T, version: "1" }',
    '#  error: an OpenAPI document needs paths, components or webhooks',
  ],
  [
    'a parameter twice',
    document(get('parameters: [{ name: p, in: query, schema: {} }, { name: p, in: query, schema: {} }]')),
    '#/paths/~1a/get/parameters/1  error: the query parameter p is listed twice',
  ],
  [
    'a path parameter that the path lacks',
    document(get('parameters: [{ name: id, in: path, required: true, schema: {} }]')),
    '#/paths/~1a/get/parameters/0  error: the path has no {id}',
  ],
  ['a path parameter without a name', document('').replace('/a', '/a/{}'), 'error: a parameter of a path needs a name'],
  [
    'a reference to nothing',
    document(
      get("parameters: [{ $ref: '#/components/parameters/Limt' }]"),
      'components: { parameters: { Limit: { name: l, in: query, schema: {} } } }',
    ),
    '#/paths/~1a/get/parameters/0  error: $ref leads to nothing: no Limt in #/components/parameters: did you mean Limit?',
  ],
  [
    'a reference without the slash after #',
    document(get("parameters: [{ $ref: '#components/parameters/Limit' }]")),
    'error: $ref leads to nothing: no $anchor is components/parameters/Limit: did you mean #/components/parameters/Limit?',
  ],
  [
    'a reference to an object of another kind',
    document(
      get("parameters: [{ $ref: '#/components/schemas/S' }]"),
      'components: { schemas: { S: { type: string } } }',
    ),
    'error: $ref leads to no parameter in #/components/schemas/S: a parameter needs name',
  ],
])('a mistake is reported once, with its place and the correction: %s', async (_name, text, message) => {
  const lines = await warningsOf(text).catch((error: unknown) => (error as Error).message);
  expect(lines).toContain(message);
  expect(lines.match(/ error: /g)).toHaveLength(1);
});

test('unknown keywords of schemas cause a warning with a similar keyword, and are ignored', async () => {
  expect(await warningsOf(schema('{ type: object, requried: [a] }'))).toMatch(
    /#\/components\/schemas\/S\/requried {2}warn: a schema has no requried: did you mean required\?$/,
  );
});

test.each([
  ['{ const: a }', '/S/const  warn: const is read as in OpenAPI 3.1: write openapi: 3.1.0'],
  ['{ type: string, examples: [a] }', 'warn: examples is read'],
  ['{ type: string, examples: { one: a } }', 'warn: examples are ignored: write a list'],
  ['{ type: [string, "null"] }', 'warn: the value of type is read as in OpenAPI 3.1'],
  ['{ type: [string, null] }', 'warn: null in a list of types is read as "null"'],
  ['{ oneOf: [{ type: string }, { type: null }] }', 'warn: null as the type of an alternative is read as "null"'],
  ['{ type: [], allOf: [] }', 'warn: an empty list of types or schemas is ignored: JSON Schema requires an item'],
  ['{ anyOf: [{ type: string }, { type: "null" }] }', '/S/anyOf/1/type  warn: the value of type is read'],
  ['{ type: integer, exclusiveMinimum: 1 }', 'warn: the value of exclusiveMinimum is read'],
  [
    '{ properties: { a: true, b: false }, not: false }',
    'warn: a boolean schema is read as in OpenAPI 3.1: write openapi: 3.1.0 (in 3 places)',
  ],
  [
    '{ $defs: { A: { type: integer } }, properties: { a: { $ref: "#/components/schemas/S/$defs/A" } } }',
    'warn: $defs is read',
  ],
  ['{ patternProperties: { a: { const: 1 } } }', 'warn: patternProperties is read'],
])('a schema of OpenAPI 3.1 in a document of 3.0 has its meaning, with a warning: %s', async (text, warning) => {
  const ofVersion = (version: string) =>
    document(
      "post: { operationId: a, requestBody: { $ref: '#/components/requestBodies/B' }, responses: { '204': { description: Done. } } }",
      `components:
  schemas: { S: ${text} }
  requestBodies: { B: { content: { application/json: { schema: { $ref: '#/components/schemas/S' } } } } }`,
      version,
    );
  expect(await warningsOf(ofVersion('3.0.3'))).toContain(warning);
  expect(await contractOf(ofVersion('3.0.3'))).toEqual(await contractOf(ofVersion('3.1.0')));
});

test('texts that are null are ignored, with one warning for each name', async () => {
  const text = document(
    `summary: null, ${get('description: null')}`,
    'components: { securitySchemes: { s: { type: http, scheme: bearer, bearerFormat: null, description: null } } }',
  );
  const lines = await warningsOf(text);
  expect(lines).toContain('/get/description  warn: description is null, and is ignored (in 2 places)');
  expect(lines).toContain('/bearerFormat  warn: bearerFormat is null, and is ignored');
  expect(lines.split('\n')).toHaveLength(3);
});

test('a schema may be true or false since OpenAPI 3.1', async () => {
  expect(await warningsOf(schema('{ properties: { a: true, b: false }, not: false }'))).toBe('');
});
