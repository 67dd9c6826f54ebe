import { warningsOf } from '@contract-first/testing/contract.ts';

/** Returns a document with one path, whose members are in flow style. */
const document = (pathItem: string, rest = '', version = '3.2.0'): string => `
openapi: ${version}
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /a: { ${pathItem} }
${rest}`;
const done = "responses: { '204': { description: Done. } }";
const operation = (members: string): string => `post: { ${done}, ${members} }`;
const parameter = (members: string): string => operation(`parameters: [{ name: p, ${members} }]`);
const media = (members: string, type = 'application/json'): string =>
  operation(`requestBody: { content: { ${type}: { ${members} } } }`);
const header = (members: string): string =>
  `get: { responses: { '204': { description: Done., headers: { ${members} } } } }`;
const example = (members: string): string => media(`examples: { one: { ${members} } }`);
const query = '{ name: q, in: query, schema: {} }';
const querystring = '{ name: s, in: querystring, content: { application/json: {} } }';
const server = "{ url: 'http://{h}/', variables: { h: { default: a, enum: [] } } }";

test.each<[string, string, RegExp]>([
  ['example beside examples', document(media('example: 1, examples: {}')), /example and examples exclude each other/],
  [
    'example beside examples in 3.1',
    document(parameter('in: query, schema: {}, example: 1, examples: {}'), '', '3.1.0'),
    /parameters\/0 {2}error: example and examples/,
  ],
  [
    'two values of an example',
    document(example('value: 1, externalValue: a')),
    /\/examples\/one {2}error: value and ext/,
  ],
  ['two kinds of values', document(example('dataValue: 1, value: 1')), /value and dataValue exclude each other/],
  [
    'two values of an example in components',
    document(operation('tags: [a]'), 'components: { examples: { e: { externalValue: a, serializedValue: a } } }'),
    /#\/components\/examples\/e {2}error: externalValue and serializedValue exclude/,
  ],
  [
    'encodings by name and by place',
    document(media('encoding: {}, itemEncoding: {}', 'multipart/mixed')),
    /itemEncoding/,
  ],
  [
    'two kinds of nodes in XML',
    document(media('schema: { type: array, xml: { nodeType: element, wrapped: true } }')),
    /\/schema\/xml {2}error: nodeType and wrapped exclude each other/,
  ],
  [
    'content with a style',
    document(parameter('in: query, content: { text/plain: {} }, style: form')),
    /content and style/,
  ],
  ['a querystring with a schema', document(parameter('in: querystring, schema: {}')), /needs content, not a schema/],
  [
    'allowReserved in a header',
    document(parameter('in: header, schema: {}, allowReserved: true')),
    /in a header parameter/,
  ],
  ['allowReserved in a reply', document(header('A: { schema: {}, allowReserved: true }')), /not allowed in a header/],
  ['the name of a header', document(header("'a b': { schema: {} }")), /"a b" cannot be the name of a header/],
  [
    'querystring and query of a path item that nothing uses',
    document(operation('tags: [a]'), `components: { pathItems: { p: { parameters: [${query}, ${querystring}] } } }`),
    /pathItems\/p\/parameters {2}error: a parameter in querystring must be the only one in the query/,
  ],
  [
    'an operationId of another path in a path with a reference',
    document(
      operation('operationId: a'),
      "  /b: { $ref: '#/components/pathItems/p', post: { operationId: a, responses: {} } }\ncomponents: { pathItems: { p: {} } }",
    ),
    /#\/paths\/~1b\/post {2}error: operationId a must be unique: POST \/a at/,
  ],
  [
    'a variable without values',
    document(operation(`servers: [${server}]`)),
    /variables\/h\/enum {2}error: enum needs a value/,
  ],
])('a document is refused with the place of the mistake: %s', async (_name, text, message) => {
  await expect(warningsOf(text)).rejects.toThrow(message);
  await expect(warningsOf(text)).rejects.toThrow(/^openapi\.yaml:\d+:\d+ #\//);
});

test('OpenAPI 3.0 allows an example beside examples', async () => {
  expect(await warningsOf(document(media('example: 1, examples: {}'), '', '3.0.3'))).toBe('');
});
