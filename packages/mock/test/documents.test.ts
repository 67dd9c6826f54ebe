import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startMock } from '../src/start-mock.ts';

/** A request and the status of its response. */
type Exchange = readonly [target: string, body: object | number | undefined, status: number];

const HEAD = "openapi: 3.1.0\ninfo: { title: Test, version: '1' }\nsecurity: []\n";
const POST =
  "responses: { '204': { description: Done. } }, requestBody: { required: true, content: { application/json: { schema: ";
const LIST = "get: { operationId: listPets, responses: { '204': { description: Done. } } }";

type Case = [name: string, files: Readonly<Record<string, string>>, exchanges: readonly Exchange[]];

test.each<Case>([
  [
    'a path that refers to another path',
    { 'openapi.yaml': `${HEAD}paths:\n  /pets: { ${LIST} }\n  /v1/pets: { $ref: '#/paths/~1pets' }` },
    [
      ['/pets', undefined, 204],
      ['/v1/pets', undefined, 204],
    ],
  ],
  [
    'two paths that refer to a component',
    {
      'openapi.yaml': `${HEAD}paths:
  /a: { $ref: '#/components/pathItems/P' }
  /b: { $ref: '#/components/pathItems/P' }
components: { pathItems: { P: { ${LIST} } } }`,
    },
    [
      ['/a', undefined, 204],
      ['/b', undefined, 204],
    ],
  ],
  [
    'paths that refer to one file',
    {
      'openapi.yaml': `${HEAD}paths:\n  /a: { $ref: item.yaml }\n  /b: { $ref: item.yaml }\n  /c: { $ref: '#/paths/~1a' }`,
      'item.yaml': LIST,
    },
    [
      ['/a', undefined, 204],
      ['/b', undefined, 204],
      ['/c', undefined, 204],
    ],
  ],
  [
    'paths with one YAML alias',
    { 'openapi.yaml': `${HEAD}paths:\n  /a: &item { ${LIST} }\n  /b: *item\n  /c: *item` },
    [
      ['/a', undefined, 204],
      ['/b', undefined, 204],
      ['/c', undefined, 204],
    ],
  ],
  [
    'paths that add members to the path that they refer to',
    {
      'openapi.yaml': `${HEAD}paths:
  /a/{n}: { $ref: '#/paths/~1b~1{n}' }
  /b/{n}: { $ref: '#/paths/~1c~1{n}', post: { operationId: addPet, responses: { '204': { description: Done. } } } }
  /c/{n}: { $ref: '#/components/pathItems/P', parameters: [{ name: n, in: path, required: true, schema: { type: integer } }] }
components: { pathItems: { P: { ${LIST} } } }`,
    },
    [
      ['/a/1', undefined, 204],
      ['/a/1', 0, 204],
      ['/b/1', 0, 204],
      ['/c/x', undefined, 400],
      ['/c/1', 0, 405],
    ],
  ],
  [
    'closing brackets that are indented as the key of the collection',
    {
      'openapi.yaml': `${HEAD}paths:
  /a:
    post: {
      responses: {
        '204': { description: Done. }
      },
      requestBody: { required: true, content: { application/json: { schema: {
        enum: [
          1, 2
        ]
      } } }
    }
    }`,
    },
    [
      ['/a', 2, 204],
      ['/a', 3, 400],
    ],
  ],
  [
    'later lines of a quoted string and of a list that are indented as their key',
    {
      'openapi.yaml': `${HEAD}paths:
  /a:
    post:
      description: 'A text
      of several "lines",

      with a colon: here'
      responses: { '204': { description: Done. } }
      requestBody:
        required: true
        content:
          application/json:
            schema:
              enum: [1,
              2]`,
    },
    [
      ['/a', 2, 204],
      ['/a', 3, 400],
    ],
  ],
  [
    'unevaluated properties, also after a request with a property that is evaluated',
    {
      'openapi.yaml': `${HEAD}paths:
  /a: { post: { ${POST} { $ref: '#/components/schemas/B' } } } } } }
  /b: { post: { ${POST} { properties: { n: {} }, dependentSchemas: { l: { properties: { m: {} } } }, unevaluatedProperties: false } } } } } }
components:
  schemas:
    A: { anyOf: [{ $ref: '#/components/schemas/B' }, { $ref: '#/components/schemas/C' }], unevaluatedProperties: false }
    B: { properties: { b: { type: integer }, next: { $ref: '#/components/schemas/A' } } }
    C: { properties: { c: { type: integer }, next: { $ref: '#/components/schemas/A' } } }`,
    },
    [
      ['/a', { next: { b: 1, c: 1 } }, 204],
      ['/a', { next: { b: 1, c: 'x' } }, 400],
      ['/b', { n: 1 }, 204],
      ['/b', { n: 1, m: 1 }, 400],
    ],
  ],
  [
    'numbers beyond the range of a double',
    {
      'openapi.yaml': `${HEAD}paths:
  /a:
    get: { responses: { '200': { description: Done., content: { application/json: { schema: { type: number }, example: -1e400 } } } } }
    post: { ${POST} { type: object, properties: { n: { type: number, maximum: 1e400, default: 1e400 } } } } } } }`,
    },
    [
      ['/a', undefined, 200],
      ['/a', { n: 1e300 }, 204],
    ],
  ],
  [
    'callbacks with one operationId',
    {
      'openapi.yaml': `${HEAD}paths:
  /a: { get: { responses: { '204': { description: Done. } }, callbacks: { done: { 'http://a': { ${LIST} } } } } }
  /b: { get: { responses: { '204': { description: Done. } }, callbacks: { done: { 'http://b': { ${LIST} } } } } }
  /c: { ${LIST} }`,
    },
    [
      ['/a', undefined, 204],
      ['/b', undefined, 204],
      ['/c', undefined, 204],
    ],
  ],
  [
    'percent-encoded names of files',
    {
      'openapi.yaml': `${HEAD}paths:\n  /users/{id}: { $ref: 'parts/users_%7Bid%7D.yaml' }`,
      'parts/users_{id}.yaml': `parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
post: { ${POST} { $ref: 'My%20User.yaml#/User' } } } } }`,
      'parts/My User.yaml': 'User: { type: object, required: [n], properties: { n: { type: integer } } }',
    },
    [
      ['/users/1', { n: 1 }, 204],
      ['/users/1', { n: 'x' }, 400],
    ],
  ],

  [
    'a name in $defs with a space',
    {
      'openapi.yaml': `${HEAD}paths:\n  /a: { post: { ${POST} { $ref: '#/components/schemas/T' } } } } } }
components:
  schemas:
    T:
      properties: { a: { $ref: '#/components/schemas/T/$defs/my%20money' } }
      $defs: { my money: { type: object, required: [cents], properties: { cents: { type: integer } } } }`,
    },
    [
      ['/a', { a: { cents: 1 } }, 204],
      ['/a', { a: {} }, 400],
    ],
  ],
  ...['constructor', 'toString', 'hasOwnProperty', '__proto__'].map((name): Case => [
    `a component ${name}, also in another file`,
    {
      'openapi.yaml': `${HEAD}paths:
  /a: { post: { ${POST} { $ref: '#/components/schemas/${name}' } } } } } }
  /b: { post: { ${POST} { $ref: 'other.yaml#/components/schemas/${name}' } } } } } }
components: { schemas: { ${name}: { properties: { n: { type: integer }, next: { $ref: '#/components/schemas/${name}' } } } } }`,
      'other.yaml': `components: { schemas: { ${name}: { properties: { n: { type: string } } } } }`,
    },
    [
      ['/a', { n: 1, next: { n: 1 } }, 204],
      ['/a', { n: 1, next: { n: 'x' } }, 400],
      ['/b', { n: 'x' }, 204],
      ['/b', { n: 1 }, 400],
    ],
  ]),
  [
    'a schema of a file that extends a schema with a discriminator, by its name as a component',
    {
      'openapi.yaml': `${HEAD}paths:\n  /a: { post: { ${POST} { $ref: '#/components/schemas/Pet' } } } } } }
components:
  schemas:
    Pet: { type: object, required: [kind], properties: { kind: { type: string } }, discriminator: { propertyName: kind } }
    Cat: { $ref: schemas/cat.yaml }`,
      'schemas/cat.yaml':
        "allOf: [{ $ref: '../openapi.yaml#/components/schemas/Pet' }, { required: [lives], properties: { lives: {} } }]",
    },
    [
      ['/a', { kind: 'Cat', lives: 9 }, 204],
      ['/a', { kind: 'Cat' }, 400],
      ['/a', { kind: 'cat', lives: 9 }, 400],
    ],
  ],
  [
    'schemas of files and in $defs, as values of discriminators',
    {
      'openapi.yaml': `${HEAD}paths:
  /a: { post: { ${POST} { oneOf: [{ $ref: a/cat.yaml }], discriminator: { propertyName: k } } } } } } }
  /b: { post: { ${POST} { oneOf: [{ $ref: b/cat.yaml }], discriminator: { propertyName: k } } } } } } }
  /c: { post: { ${POST} { $ref: '#/components/schemas/Pet' } } } } } }
components:
  schemas:
    Pet:
      oneOf: [{ $ref: '#/components/schemas/Pet/$defs/Cat' }]
      discriminator: { propertyName: k }
      $defs: { Cat: { type: object, properties: { k: { type: string } } } }`,
      'a/cat.yaml': '{ type: object, properties: { k: { type: string }, n: { type: integer } } }',
      'b/cat.yaml': '{ type: object, properties: { k: { type: string }, n: { type: string } } }',
    },
    [
      ['/a', { k: 'cat', n: 1 }, 204],
      ['/b', { k: 'cat', n: 'x' }, 204],
      ['/b', { k: 'dog', n: 'x' }, 400],
      ['/c', { k: 'Cat' }, 204],
      ['/c', { k: 'Dog' }, 400],
    ],
  ],
  [
    'components of two files with one name, as values of discriminators',
    {
      'openapi.yaml': `${HEAD}paths:
  /a: { post: { ${POST} { $ref: 'one.yaml#/components/schemas/Pet' } } } } } }
  /b: { post: { ${POST} { $ref: 'two.yaml#/components/schemas/Animal' } } } } } }`,
      'one.yaml': `components:
  schemas:
    Unused: { $ref: '#/components/schemas/Unused' }
    Pet: { oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: k } }
    Cat: { type: object, properties: { k: { type: string }, n: { type: integer } } }`,
      'two.yaml': `components:
  schemas:
    Animal: { oneOf: [{ $ref: '#/components/schemas/Cat' }], discriminator: { propertyName: k, mapping: { a: Cat, b: Cat } } }
    Cat: { type: object, properties: { k: { type: string }, n: { type: string } } }`,
    },
    [
      ['/a', { k: 'Cat', n: 1 }, 204],
      ['/a', { k: 'Cat', n: 'x' }, 400],
      ['/b', { k: 'b', n: 'x' }, 204],
      ['/b', { k: 'Cat', n: 'x' }, 400],
      ['/b', { k: 'a', n: 1 }, 400],
    ],
  ],
])('a document is served: %s', async (_name, files, exchanges) => {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const mock = await startMock(join(folder, 'openapi.yaml'));
  const statuses = [];
  for (const [target, body] of exchanges) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const { status } = await fetch(mock.url + target, body === undefined ? {} : init);
    statuses.push([target, body, status]);
  }
  await mock.close();
  expect(statuses).toEqual(exchanges);
});
