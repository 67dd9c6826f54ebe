import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startMock } from '../src/start-mock.ts';

/** A request and the status of its response. */
type Exchange = readonly [target: string, body: object | undefined, status: number];

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
