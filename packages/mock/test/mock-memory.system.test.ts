import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_OUTSIDE } from '@contract-first/documents';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { checkContract } from '../../check/src/contract-run.ts';
import { readDocument } from '../../check/src/run/read-document.ts';

const id = '{ name: petId, in: path, required: true, schema: { type: integer } }';
const json = (name: string): string =>
  `content: { application/json: { schema: { $ref: '#/components/schemas/${name}' } } }`;
const query = (name: string, schema: string): string => `{ name: ${name}, in: query, schema: ${schema} }`;
const DOCUMENT = `
openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
security: []
paths:
  /pets:
    post:
      operationId: createPet
      parameters: [{ name: Idempotency-Key, in: header, required: true, schema: { type: string } }]
      requestBody: { required: true, ${json('NewPet')} }
      responses:
        '201': { description: Created., headers: { Location: { schema: { type: string } } }, ${json('Pet')} }
        default: { $ref: '#/components/responses/Problem' }
    get:
      operationId: listPets
      parameters:
        - ${query('limit', '{ type: integer, minimum: 1, maximum: 50 }')}
        - ${query('offset', '{ type: integer, minimum: 0 }')}
        - ${query('status', '{ enum: [sold, free] }')}
        - ${query('sort', '{ enum: [name, -name, age] }')}
      responses:
        '200': { description: Pets., ${json('Pets')} }
        default: { $ref: '#/components/responses/Problem' }
  /pets/{petId}:
    parameters: [${id}]
    get:
      operationId: getPet
      responses:
        '200': { description: The pet., headers: { ETag: { schema: { type: string } } }, ${json('Pet')} }
        '304': { description: Not modified. }
        default: { $ref: '#/components/responses/Problem' }
    put:
      operationId: replacePet
      requestBody: { required: true, ${json('NewPet')} }
      responses:
        '200': { description: The pet., ${json('Pet')} }
        '404': { $ref: '#/components/responses/Problem' }
        '412': { $ref: '#/components/responses/Problem' }
        default: { $ref: '#/components/responses/Problem' }
    patch:
      operationId: changePet
      requestBody: { content: { application/merge-patch+json: { schema: { type: object, properties: { name: { type: string }, age: { type: integer } } } } } }
      responses: { '200': { description: The pet., ${json('Pet')} }, default: { $ref: '#/components/responses/Problem' } }
    delete:
      operationId: deletePet
      responses: { '204': { description: Gone. }, default: { $ref: '#/components/responses/Problem' } }
  /pets/{petId}/visits:
    parameters: [${id}]
    post:
      operationId: addVisit
      requestBody: { required: true, ${json('Visit')} }
      responses: { '201': { description: Created., ${json('Visit')} }, default: { $ref: '#/components/responses/Problem' } }
    get:
      operationId: listVisits
      responses:
        '200': { description: Visits., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Visit' } } } } }
        default: { $ref: '#/components/responses/Problem' }
  /pets/{petId}/photo:
    parameters: [${id}]
    get:
      operationId: getPhoto
      responses: { '200': { description: A photo., content: { image/png: {} } }, default: { $ref: '#/components/responses/Problem' } }
    put:
      operationId: putPhoto
      requestBody: { content: { image/png: {} } }
      responses: { '204': { description: Stored. }, default: { $ref: '#/components/responses/Problem' } }
  /shops:
    post:
      operationId: createShop
      requestBody: { required: true, ${json('Shop')} }
      responses:
        '200': { description: Created., ${json('Shop')} }
        '409': { $ref: '#/components/responses/Problem' }
        default: { $ref: '#/components/responses/Problem' }
  /shops/{code}:
    parameters: [{ name: code, in: path, required: true, schema: { type: string, pattern: '^[a-z]{3}$' } }]
    get:
      operationId: getShop
      responses:
        '200':
          description: The shop.
          content:
            application/json:
              schema: { $ref: '#/components/schemas/Shop' }
              examples: { main: { value: { code: abc, city: Kiel } }, wrong: { value: { code: xyz } } }
        default: { $ref: '#/components/responses/Problem' }
  /settings:
    get: { operationId: getSettings, responses: { '200': { description: The settings., ${json('Settings')} } } }
    put:
      operationId: putSettings
      requestBody: { required: true, ${json('Settings')} }
      responses: { '200': { description: The settings., ${json('Settings')} }, default: { $ref: '#/components/responses/Problem' } }
  /notes:
    post:
      operationId: createNote
      requestBody: { required: true, ${json('Note')} }
      responses: { '201': { description: Created., ${json('Note')} }, default: { $ref: '#/components/responses/Problem' } }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getNote, responses: { '200': { description: The note., ${json('Note')} } } }
  /floors/{floor}/rooms:
    parameters: [{ name: floor, in: path, required: true, schema: { type: integer } }]
    post:
      operationId: createRoom
      requestBody: { required: true, ${json('Note')} }
      responses: { '201': { description: Created., ${json('Note')} }, default: { $ref: '#/components/responses/Problem' } }
    get:
      operationId: listRooms
      responses:
        '200': { description: Rooms., content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Note' } } } } }
  /floors/{floor}/rooms/{id}:
    parameters:
      - { name: floor, in: path, required: true, schema: { type: integer } }
      - { name: id, in: path, required: true, schema: { type: string } }
    get:
      operationId: getRoom
      responses: { '200': { description: The room., ${json('Note')} }, default: { $ref: '#/components/responses/Problem' } }
  /makers/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getMaker, responses: { '200': { description: The maker., ${json('Note')} } } }
components:
  responses:
    Problem: { description: A problem., ${json('Problem')} }
  schemas:
    Problem: { type: object, required: [code, message], properties: { code: { type: integer }, message: { type: string } } }
    NewPet:
      type: object
      required: [name]
      properties:
        name: { type: string }
        age: { type: integer }
        status: { enum: [sold, free] }
        nick: { type: [string, 'null'] }
        secret: { type: string, writeOnly: true }
    Pet:
      required: [id, createdAt]
      allOf: [{ $ref: '#/components/schemas/NewPet' }]
      properties: { id: { type: integer, readOnly: true }, createdAt: { type: string, format: date-time, readOnly: true } }
    Pets:
      type: object
      required: [items, total]
      properties:
        items: { type: array, items: { $ref: '#/components/schemas/Pet' } }
        total: { type: integer }
        next: { type: string, format: uri-reference }
    Visit: { type: object, required: [reason], properties: { id: { type: string, format: uuid, readOnly: true }, reason: { type: string } } }
    Shop: { type: object, required: [code, city], properties: { code: { type: string, pattern: '^[a-z]{3}$' }, city: { type: string } } }
    Settings: { type: object, required: [color], properties: { color: { enum: [red, green, blue] }, size: { type: integer } } }
    Note: { type: object, required: [id], properties: { id: { type: string, readOnly: true }, text: { type: string } } }
`;

const path = join(temporaryFolder(), 'pets.yaml');
writeFileSync(path, DOCUMENT);
const startMock = (...args: readonly string[]): Promise<ServiceProcess> =>
  startServiceProcess({ LOG_LEVEL: 'error' }, ['contract-first', 'mock', path, ...args]);

let mock: ServiceProcess;
beforeAll(async () => {
  mock = await startMock();
});

type Body = Readonly<Record<string, unknown>> & { readonly id?: number | string };

/** Sends a request with a JSON body. */
async function send(
  method: string,
  target: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
  { url } = mock,
) {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const response = await fetch(new URL(target, url), {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': type }),
      ...(method === 'POST' && { 'Idempotency-Key': randomUUID() }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: (text === '' ? {} : JSON.parse(text)) as Body };
}

/** Creates a pet. Returns its path. */
async function createPet(pet: object, service = mock): Promise<string> {
  const { status, body } = await send('POST', '/pets', pet, {}, service);
  expect(status).toBe(201);
  return `/pets/${String(body.id)}`;
}

test('a created resource is returned as written, with read-only and without write-only members', async () => {
  const { status, headers, body } = await send('POST', '/pets', { name: 'Rex', age: 3, secret: 'x', createdAt: 'now' });
  expect([status, body]).toEqual([
    201,
    { id: expect.any(Number), name: 'Rex', age: 3, createdAt: expect.stringMatching(/^\d{4}-/) },
  ]);
  expect(headers.get('location')).toBe(`${mock.url}/pets/${String(body.id)}`);
  expect((await send('GET', `/pets/${String(body.id)}`)).body).toEqual(body);
  expect((await send('POST', '/pets', { name: 'Max' })).body.id).toBe(Number(body.id) + 1);
});

test('the docs page shows the current resources', async () => {
  const pet = await createPet({ name: 'Ada' });
  const stored = async () => JSON.stringify((await send('GET', '/docs/state.json')).body['/pets']);
  expect(await stored()).toContain('Ada');
  await send('DELETE', pet);
  expect(await stored()).not.toContain('Ada');
});

test('PUT replaces a resource, PATCH merges, and DELETE removes it: then 404, with the documented body', async () => {
  const pet = await createPet({ name: 'Rex', age: 3, nick: 'R' });
  const { body: created } = await send('GET', pet);
  const replaced = { name: 'Ada', nick: 'A', id: created.id, createdAt: created['createdAt'] };
  expect((await send('PUT', pet, { name: 'Ada', nick: 'A' })).body).toEqual(replaced);
  expect((await send('PATCH', pet, { age: 4 })).body).toEqual({ ...replaced, age: 4 });
  expect((await send('GET', pet)).body).toEqual({ ...replaced, age: 4 });
  expect((await send('DELETE', pet)).status).toBe(204);
  for (const method of ['GET', 'DELETE'])
    expect(await send(method, pet)).toMatchObject({
      status: 404,
      body: { code: 404, message: `${pet} does not exist` },
    });
  expect((await send('PUT', pet, { name: 'Ada' })).status).toBe(404);
});

test('a list supports filters, sorting and paging, with the total and the next page', async () => {
  const own = await startMock();
  for (const [name, status] of [['b', 'free'], ['c', 'sold'], ['a', 'free']]) await createPet({ name, status }, own); // prettier-ignore
  const list = async (target: string) => {
    const { body } = await send('GET', target, undefined, {}, own);
    return { ...body, items: (body['items'] as readonly Body[]).map(({ name }) => name) };
  };
  expect(await list('/pets')).toEqual({ items: ['b', 'c', 'a'], total: 3 });
  expect(await list('/pets?status=free&sort=name')).toEqual({ items: ['a', 'b'], total: 2 });
  expect(await list('/pets?sort=-name')).toEqual({ items: ['c', 'b', 'a'], total: 3 });
  const first = await list('/pets?limit=2');
  expect(first).toEqual({ items: ['b', 'c'], total: 3, next: expect.anything() });
  expect(await list('/pets?limit=2&offset=2')).toEqual({ items: ['a'], total: 3 });
});

test('a nested collection belongs to its parent, and is deleted with it', async () => {
  const [one, other] = [await createPet({ name: 'Rex' }), await createPet({ name: 'Max' })];
  const { status, body } = await send('POST', `${one}/visits`, { reason: 'cough' });
  expect([status, body]).toEqual([201, { reason: 'cough', id: expect.stringMatching(/^[\da-f-]{36}$/) }]);
  expect((await send('GET', `${one}/visits`)).body).toEqual([body]);
  expect((await send('GET', `${other}/visits`)).body).toEqual([]);
  await send('DELETE', one);
  expect((await send('GET', `${one}/visits`)).status).toBe(404);
  expect((await send('POST', `${one}/visits`, { reason: 'again' })).status).toBe(404);
});

test('an id from the client is kept, a documented duplicate is a 409, and valid examples exist initially', async () => {
  expect((await send('GET', '/shops/abc')).body).toEqual({ code: 'abc', city: 'Kiel' });
  expect((await send('GET', '/shops/xyz')).status).toBe(404);
  expect((await send('POST', '/shops', { code: 'xyz', city: 'Bonn' })).body).toEqual({ code: 'xyz', city: 'Bonn' });
  expect((await send('POST', '/shops', { code: 'xyz', city: 'Ulm' })).status).toBe(409);
  expect((await send('GET', '/shops/xyz')).body).toEqual({ code: 'xyz', city: 'Bonn' });
});

test('conditional requests: 304 for the current ETag, 412 for a different ETag', async () => {
  const pet = await createPet({ name: 'Rex' });
  const etag = (await send('GET', pet)).headers.get('etag') ?? '';
  expect((await send('GET', pet, undefined, { 'If-None-Match': etag })).status).toBe(304);
  expect((await send('GET', pet, undefined, { 'If-None-Match': `"x", W/${etag}` })).status).toBe(304);
  expect((await send('PUT', pet, { name: 'Max' }, { 'If-Match': etag })).status).toBe(200);
  expect((await send('PUT', pet, { name: 'Ada' }, { 'If-Match': etag })).status).toBe(412);
  expect((await send('GET', pet, undefined, { 'If-None-Match': etag })).body).toMatchObject({ name: 'Max' });
  expect((await send('PUT', pet, { name: 'Ada' }, { 'If-None-Match': '*' })).status).toBe(412);
  expect((await send('PUT', pet, { name: 'Ada' }, { 'If-Match': '*' })).status).toBe(200);
});

test('an Idempotency-Key creates one resource, and is rejected with a different body', async () => {
  const create = async (key: string) =>
    (await send('POST', '/pets', { name: 'Rex' }, { 'Idempotency-Key': key })).body.id;
  const [one, again, other] = [await create('a'), await create('a'), await create('b')];
  expect([again === one, other === one]).toEqual([true, false]);
  expect((await send('POST', '/pets', { name: 'Max' }, { 'Idempotency-Key': 'a' })).status).toBe(422);
});

test('a singleton is generated until it is replaced', async () => {
  expect((await send('GET', '/settings')).body).toMatchObject({ color: expect.stringMatching(/red|green|blue/) });
  for (const color of ['red', 'blue']) {
    await send('PUT', '/settings', { color });
    expect((await send('GET', '/settings')).body).toEqual({ color });
  }
});

test('without a documented 404, an unknown id gets a generated response, and the start says so, and names invalid examples', async () => {
  expect((await send('GET', '/notes/unknown')).status).toBe(200);
  await mock.waitForOutput('example wrong');
  const [, summary] = mock.output().split('Remembers:\n');
  expect(summary?.trimEnd().split('\n')).toEqual([
    '  /pets/{petId}               create, list, read, replace, patch, delete',
    '  /shops/{code}               create, read',
    '  /notes/{id}                 create, read; reads of an unknown id are generated, as no 404 is documented',
    '  /floors/{floor}/rooms/{id}  create, list, read',
    '  /pets/{petId}/visits/{id}   create, list',
    '  /settings                   read, replace',
    'Does not remember:',
    '  /makers/{id}         no POST to its collection and no PUT with 201 creates it',
    '  /pets/{petId}/photo  no response with JSON reads or lists it',
    'Generates the responses of 3 operations: getPhoto, putPhoto, getMaker',
    'Invalid examples, which are not sent:',
    "  getShop 200 application/json: example wrong must have required property 'city'",
  ]);
});

test('with preferences or --stateless, the response depends only on the document', async () => {
  const pet = await createPet({ name: 'Rex' });
  const { status, headers } = await send('GET', pet, undefined, { Prefer: 'code=304' });
  expect([status, headers.get('preference-applied')]).toEqual([304, 'code=304']);
  const stateless = await startMock('--stateless');
  const bodies = [
    await send('POST', '/pets', { name: 'a' }, {}, stateless),
    await send('POST', '/pets', { name: 'b' }, {}, stateless),
  ];
  expect(bodies[0]?.body).toEqual(bodies[1]?.body);
  expect(stateless.output()).not.toContain('Remembers');
});

test('--limit removes the oldest resources', async () => {
  const small = await startMock('--limit', '3');
  const pets: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) pets.push(await createPet({ name }, small));
  const statuses = pets.map(async (pet) => (await send('GET', pet, undefined, {}, small)).status);
  expect(await Promise.all(statuses)).toEqual([404, 200, 200, 200]);
  expect((await runProcess('contract-first', ['mock', '--limit', '0'])).stderr).toContain(
    '--limit must be an integer from 1',
  );
});

test('the contract checks pass, including checks of sequences', async () => {
  const { document } = await readDocument(path, NO_OUTSIDE);
  const own = await startMock();
  const { failures, notes, unused } = await checkContract({
    document,
    baseUrl: own.url,
    token: own.token,
    seed: 1,
    runs: 3,
    budgetMs: 120_000,
  });
  expect(failures.map(({ check, operationId, message }) => [check, operationId, message])).toEqual([]);
  expect(unused).toEqual(['ignored_auth', 'action_effects']);
  expect(notes.join('\n')).toMatch(
    /^sequences of requests were not checked for 3 resources: .*reads of unknown ids succeed \(createNote\)/m,
  );
});
