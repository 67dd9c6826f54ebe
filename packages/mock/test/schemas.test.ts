import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startMock } from '../src/start-mock.ts';

/** Returns a document whose only operation receives a T. */
const document = (schemas: string): string => `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
security: []
paths:
  /t:
    post:
      operationId: addThing
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/T' } } } }
      responses: { '204': { description: Added. } }
components:
  schemas:
    ${schemas.trim().replaceAll('\n', '\n    ')}
`;

/** Writes a document and other files, serves it, and returns the statuses of requests with JSON bodies. */
async function statusesOf(text: string, bodies: readonly unknown[], files: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder();
  for (const [name, content] of Object.entries({ ...files, 'openapi.yaml': text })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  await using mock = await startMock(join(folder, 'openapi.yaml'));
  return await Promise.all(
    bodies.map(async (body) => {
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
      return (await fetch(`${mock.url}/t`, init)).status;
    }),
  );
}

test('keywords of OpenAPI 3.0 mean the same in later versions', async () => {
  const text = document(`
T:
  type: object
  properties:
    size: { type: integer, minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false }
    name: { type: string, nullable: true, examples: { a: { value: b } } }
    nullable: { type: boolean }
    either: { type: [string, boolean], nullable: true }
    unquoted: { type: [string, null] }
    other: { $ref: 'other.yaml#/Other' }`);
  const files = { 'other.yaml': 'Other: { type: string, nullable: true }' };
  const valid = [
    { size: 1 },
    { size: 5 },
    { name: null },
    { nullable: true },
    { other: null },
    { either: null },
    { unquoted: null },
  ];
  expect(await statusesOf(text, valid, files)).toEqual(valid.map(() => 204));
  const invalid = [{ unquoted: 1 }, { size: 0 }, { size: 6 }, { name: 1 }, { nullable: null }, { other: 1 }];
  expect(await statusesOf(text, invalid, files)).toEqual(invalid.map(() => 400));
});

const ITEMS = `
Page:
  $id: https://example.com/page
  type: object
  required: [items]
  properties: { items: { type: array, items: { $dynamicRef: '#item' } }, next: { $dynamicRef: '#page' } }
  $dynamicAnchor: page
  $defs: { any: { $dynamicAnchor: item } }`;

test.each<[string, string, readonly unknown[], readonly unknown[]]>([
  [
    '$anchor',
    `
T: { type: object, properties: { a: { $ref: '#money' } } }
Money: { $anchor: money, type: object, properties: { cents: { type: integer } } }`,
    [{ a: { cents: 1 } }],
    [{ a: { cents: 'x' } }],
  ],
  [
    '$anchor in another file',
    "T: { $ref: 'other.yaml#money' }",
    [{ cents: 1, more: 'EUR' }],
    [{ cents: 'x' }, { more: 1 }],
  ],
  [
    '$id, and relative to it',
    `
T: { type: object, properties: { a: { $ref: 'https://example.com/schemas/money' }, b: { $ref: '#/components/schemas/M' } } }
M:
  $id: https://example.com/schemas/money
  type: object
  properties: { cents: { $ref: '#/$defs/cents' }, unit: { $ref: '#unit' }, other: { $ref: other } }
  $defs: { cents: { type: integer }, unit: { $anchor: unit, type: string }, o: { $id: other, type: boolean } }`,
    [{ a: { cents: 1, unit: 'EUR', other: true } }, { b: { cents: 1 } }],
    [{ a: { cents: 'x' } }, { b: { unit: 1 } }, { b: { other: 1 } }],
  ],
  [
    'JSON pointers from the root of a schema with $id, or else of the file',
    `
T:
  $id: https://example.com/t
  type: object
  properties: { a: { $ref: '#/properties/c' }, b: { $ref: '#/components/schemas/U' }, c: { type: integer } }
U: { type: boolean }`,
    [{ a: 1, b: true, c: 1 }],
    [{ a: 'x' }, { b: 1 }],
  ],
  [
    '$dynamicRef in a tree',
    `
T: { $dynamicAnchor: node, type: object, properties: { n: { type: integer }, kids: { items: { $dynamicRef: '#node' } } } }`,
    [{ n: 1, kids: [{ n: 2 }] }],
    [{ n: 1, kids: [{ n: 'x' }] }, { kids: [{ kids: [1] }] }],
  ],
  [
    '$dynamicRef to the anchor of each outer resource',
    `
T: { type: object, properties: { users: { $ref: user-page }, pets: { $ref: pet-page }, all: { $ref: page } }, $id: 'https://example.com/t' }
Users:
  $id: https://example.com/user-page
  $ref: page
  $defs: { item: { $dynamicAnchor: item, type: object, required: [login] } }
Pets:
  $id: https://example.com/pet-page
  $ref: page
  $defs: { item: { $dynamicAnchor: item, type: object, required: [name] } }
${ITEMS.trim()}`,
    [
      { users: { items: [{ login: 'a' }], next: { items: [{ login: 'a' }] } } },
      { pets: { items: [{ name: 'a' }] } },
      { all: { items: [1] } },
    ],
    [
      { users: { items: [{ name: 'a' }] } },
      { users: { items: [], next: { items: [{}] } } },
      { pets: { items: [{ login: 'a' }] } },
      { all: { items: 1 } },
    ],
  ],
  [
    '$dynamicRef to an anchor of the document',
    `
T: { $ref: '#/components/schemas/Page', $defs: { item: { $dynamicAnchor: item, type: object, required: [login] } } }
${ITEMS.trim()}`,
    [{ items: [{ login: 'a' }] }],
    [{ items: [{}] }, { items: [], next: { items: [1] } }],
  ],
])('references are resolved as in JSON Schema: %s', async (_name, schemas, valid, invalid) => {
  const other = `
definitions:
  money: { $anchor: money, type: object, properties: { cents: { type: integer }, more: { $ref: 'third.yaml#text' } } }`;
  const files = { 'other.yaml': other, 'third.yaml': '{ $anchor: text, type: string }' };
  const statuses = await statusesOf(document(schemas), [...valid, ...invalid], files);
  expect(statuses).toEqual([...valid.map(() => 204), ...invalid.map(() => 400)]);
});

test('references name files by their $id, which may be the base of other references', async () => {
  const text = document(`
T:
  type: object
  properties:
    a: { $ref: 'https://example.com/money' }
    b: { $ref: 'https://example.com/money#unit' }
    c: { $ref: 'money.yaml#/$defs/inner' }
    d: { $ref: 'https://example.com/inner' }`);
  const files = {
    'money.yaml': `
$id: https://example.com/money
type: object
properties: { cents: { type: integer }, unit: { $ref: text }, other: { $ref: other.yaml } }
$defs: { unit: { $anchor: unit, const: EUR }, inner: { $id: inner, type: boolean } }`,
    'schemas/text.yaml': '{ $id: https://example.com/text, type: string }',
    'other.yaml': '{ type: array, items: { $ref: schemas/text.yaml } }',
  };
  const valid = [{ a: { cents: 1, unit: 'x', other: ['y'] } }, { b: 'EUR' }, { c: true, d: false }];
  expect(await statusesOf(text, valid, files)).toEqual([204, 204, 204]);
  const invalid = [{ a: { cents: 'x' } }, { a: { unit: 1 } }, { a: { other: [1] } }, { b: 'x' }, { c: 1 }, { d: 1 }];
  expect(await statusesOf(text, invalid, files)).toEqual([400, 400, 400, 400, 400, 400]);
});

test('a $dynamicRef that may lead to another file is refused with its place', async () => {
  const text = document("T: { $dynamicAnchor: node, $ref: 'tree.yaml', properties: { n: { type: integer } } }");
  const files = { 'tree.yaml': '$dynamicAnchor: node\nproperties:\n  kids: { items: { $dynamicRef: "#node" } }\n' };
  const message =
    /tree\.yaml:3:\d+ #\/properties\/kids\/items {2}error: \$dynamicRef to node may lead to .*openapi\.yaml/;
  await expect(statusesOf(text, [], files)).rejects.toThrow(message);
});

test('a reference to an anchor that does not exist is refused with its place', async () => {
  for (const reference of ['$ref', '$dynamicRef']) {
    const text = document(`T: { type: object, properties: { a: { ${reference}: '#nothing' } } }`);
    const message = /openapi\.yaml:13:\d+ #\/components\/schemas\/T\/properties\/a {2}error: .*$/m;
    await expect(statusesOf(text, [])).rejects.toThrow(message);
  }
});

test('requests exclude a read-only property named __proto__, also by reference', async () => {
  const text = document(`
T:
  required: [__proto__, name]
  additionalProperties: false
  properties: { __proto__: { $ref: '#/components/schemas/Id' }, name: { type: string } }
Id: { type: string, readOnly: true }`);
  expect(await statusesOf(text, [{ name: 'a' }, { ['__proto__']: 'a', name: 'a' }])).toEqual([204, 400]);
});

test('a field of a form may be named __proto__, also a file', async () => {
  for (const [schema, valid, invalid] of [
    ['{ type: integer }', '1', 'a'],
    ['{ type: string, format: binary, maxLength: 1 }', new Blob(['a']), new Blob(['ab'])],
  ] as const) {
    const path = join(temporaryFolder(), 'openapi.yaml');
    const text = document(`T: { required: [__proto__], properties: { __proto__: ${schema} } }`);
    writeFileSync(path, text.replace('application/json', 'multipart/form-data'));
    await using mock = await startMock(path);
    for (const [value, status] of [[valid, 204] as const, [invalid, 400] as const]) {
      const body = new FormData();
      body.set('__proto__', value);
      expect((await fetch(`${mock.url}/t`, { method: 'POST', body })).status).toBe(status);
    }
  }
});

test('a property may be named $ref, also with a reference to an int64', async () => {
  const text = document(`
T: { properties: { $ref: { $ref: '#/components/schemas/Id' } } }
Id: { type: integer, format: int64 }`);
  expect(await statusesOf(text, [{ $ref: 2 ** 62 }, { $ref: 2 ** 63 }])).toEqual([204, 400]);
});

test('integers beyond int64 are sent as documented, in bodies, texts and headers', async () => {
  const path = join(temporaryFolder(), 'openapi.yaml');
  const digits = '123456789012345678901234567890';
  const number = `{ schema: { type: integer }, example: ${digits} }`;
  const content = `{ application/json: ${number}, text/plain: ${number} }`;
  const documented = `'200': { description: A number., headers: { X-N: ${number} }, content: ${content} }`;
  writeFileSync(path, document('T: {}').replace("'204': { description: Added. }", documented));
  await using mock = await startMock(path);
  for (const accept of ['application/json', 'text/plain']) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', accept }, body: '1' };
    const response = await fetch(`${mock.url}/t`, init);
    expect([response.status, response.headers.get('x-n'), await response.text()]).toEqual([200, digits, digits]);
  }
});

test('a number with the format int64 is sent as a double, as it was received', async () => {
  const path = join(temporaryFolder(), 'openapi.yaml');
  const schema = "{ content: { application/json: { schema: { $ref: '#/components/schemas/T' } } }, description: A T. }";
  const text = document('T: { type: object, properties: { a: { type: number, format: int64 } } }');
  writeFileSync(path, text.replace("'204': { description: Added. }", `'200': ${schema}`));
  await using mock = await startMock(path);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":9223372036854775807}' };
  expect(await (await fetch(`${mock.url}/t`, init)).json()).toEqual({ a: 2 ** 63 });
});

test('generated responses exclude a write-only property named __proto__', async () => {
  const path = join(temporaryFolder(), 'openapi.yaml');
  const schema = "{ content: { application/json: { schema: { $ref: '#/components/schemas/T' } } }, description: A T. }";
  const text = document(`
T:
  required: [__proto__, name]
  properties: { __proto__: { type: string, writeOnly: true }, name: { enum: [a] } }`);
  writeFileSync(path, text.replace("'204': { description: Added. }", `'200': ${schema}`));
  await using mock = await startMock(path);
  const body = '{"__proto__":"b","name":"a"}';
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  expect(await (await fetch(`${mock.url}/t`, init)).text()).toBe('{"name":"a"}');
});

test('required properties are generated by the schema of their pattern, also __proto__', async () => {
  const path = join(temporaryFolder(), 'openapi.yaml');
  const schemas = `
T:
  type: object
  required: [__proto__, x-a]
  additionalProperties: false
  properties: { __proto__: { enum: [1] } }
  patternProperties: { ^x-: { enum: [b] }, a$: { type: string } }`;
  const schema = "{ content: { application/json: { schema: { $ref: '#/components/schemas/T' } } }, description: A T. }";
  writeFileSync(path, document(schemas).replace("'204': { description: Added. }", `'200': ${schema}`));
  await using mock = await startMock(path);
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"__proto__":1,"x-a":"b"}' };
  expect(await (await fetch(`${mock.url}/t`, init)).text()).toBe('{"__proto__":1,"x-a":"b"}');
});

test('alternatives whose discriminator is a boolean are valid', async () => {
  const text = document(`
T:
  oneOf: [{ $ref: '#/components/schemas/Own' }, { $ref: '#/components/schemas/Rented' }]
  discriminator: { propertyName: own, mapping: { 'true': '#/components/schemas/Own', 'false': '#/components/schemas/Rented' } }
Own: { type: object, required: [own, year], properties: { own: { type: boolean }, year: { type: integer } } }
Rented: { type: object, required: [own, rent], properties: { own: { anyOf: [{ type: boolean }] }, rent: { type: integer } } }`);
  const bodies = [{ own: true, year: 1 }, { own: false, rent: 1 }, { own: true }, { own: 'true', year: 1 }];
  expect(await statusesOf(text, bodies)).toEqual([204, 204, 400, 400]);
});

test('generated objects have all members that do not exclude each other', async () => {
  const members = 'type: object, properties: { a: { const: 1 }, b: { const: 2 }, c: { const: 3 } }';
  const excluded = [
    ['choice', 'not: { required: [a, b] }', { a: 1, c: 3 }],
    ['last', 'oneOf: [{ required: [b], not: { required: [a] } }]', { b: 2, c: 3 }],
    ['few', 'maxProperties: 2', { a: 1, b: 2 }],
    ['names', 'propertyNames: { enum: [a, c] }', { a: 1, c: 3 }],
    ['patterns', 'patternProperties: { b: { type: string } }', { a: 1, c: 3 }],
  ] as const;
  const properties = excluded.map(([name, keyword]) => `${name}: { ${members}, ${keyword} }`);
  const schema = `{ type: object, properties: { ${properties.join(', ')} } }`;
  const get = `get: { operationId: getThing, responses: { '200': { description: The thing., content: { application/json: { schema: ${schema} } } } } }`;
  const path = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(path, document('T: true').replace(/post:[^]*Added. } }/, get));
  await using mock = await startMock(path);
  const expected = Object.fromEntries(excluded.map(([name, , value]) => [name, value]));
  expect(await (await fetch(`${mock.url}/t`)).json()).toEqual(expected);
});
