import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_OUTSIDE } from '@contract-first/documents';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { openRawConnection } from '@contract-first/testing/connection.ts';
import { runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';
import { checkContract } from '../../check/src/contract-run.ts';
import { openDataFile } from '../src/memory/memory.ts';
import { readDocument } from '../../check/src/run/read-document.ts';
import { readProgramOptions } from '../src/options.ts';

const json = (schema: string): string => `content: { application/json: { schema: ${schema} } }`;
const responses = (status: number, schema: string): string =>
  `responses: { '${String(status)}': { description: Done., ${json(schema)} }, default: { description: A problem., ${json('{ type: object }')} } }`;
const trip = (name: string): string => `{ $ref: '#/components/schemas/${name}' }`;
const DOCUMENT = `
openapi: 3.1.0
info: { title: Trips, version: 1.0.0 }
security: []
paths:
  /search:
    get:
      operationId: searchTrips
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 50 } }
        - { name: offset, in: query, schema: { type: integer, minimum: 1, default: 1 } }
        - { name: area, in: query, schema: { type: [string, 'null'] } }
      responses:
        '200':
          description: The trips.
          headers: { Link: { required: true, schema: { type: string } } }
          ${json(`{ type: array, items: ${trip('Trip')} }`)}
        default: { description: A problem. }
    post:
      operationId: createTrip
      requestBody: { required: true, ${json(trip('NewTrip'))} }
      ${responses(201, trip('Trip'))}
  /trips/{trip}:
    parameters: [{ name: trip, in: path, required: true, schema: { type: integer, format: int64 } }]
    get: { operationId: getTrip, ${responses(200, trip('Trip'))} }
    delete: { operationId: deleteTrip, responses: { '204': { description: Gone. }, default: { description: A problem. } } }
  /trips/{trip}/stops:
    parameters: [{ name: trip, in: path, required: true, schema: { type: integer, format: int64 } }]
    post:
      operationId: addStop
      requestBody: { required: true, ${json(trip('Stop'))} }
      ${responses(201, trip('Stop'))}
    get: { operationId: listStops, ${responses(200, `{ type: array, items: ${trip('Stop')} }`)} }
  /drafts:
    post:
      operationId: createDraft
      requestBody: { required: true, ${json(trip('Stop'))} }
      ${responses(201, trip('Stop'))}
  /drafts/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get: { operationId: getDraft, ${responses(200, trip('Stop'))} }
  /settings:
    get: { operationId: getSettings, ${responses(200, trip('NewTrip'))} }
    put:
      operationId: putSettings
      requestBody: { required: true, ${json(trip('NewTrip'))} }
      ${responses(200, trip('NewTrip'))}
components:
  schemas:
    NewTrip:
      type: object
      required: [title]
      properties: { title: { type: string, maxLength: 20 }, guide: { type: object, properties: { id: { type: string } } } }
    Trip:
      required: [trip_no]
      allOf: [${trip('NewTrip')}]
      properties:
        trip_no: { type: integer, format: int64, readOnly: true }
        guide: { anyOf: [{ type: object, required: [id, phone], properties: { id: { type: string }, phone: { type: string } } }] }
    Stop: { type: object, required: [city], properties: { id: { type: string, format: uuid, readOnly: true }, city: { type: string } } }
`;
const CORRECTIONS = `
resources:
  /trips/{trip}: { collection: /search, id: trip_no }
  /drafts/{id}: false
`;

const folder = temporaryFolder();
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
write('trips.yaml', DOCUMENT);
write('.contract.yaml', CORRECTIONS);
const start = (...args: readonly string[]): Promise<ServiceProcess> =>
  startServiceProcess({ LOG_LEVEL: 'error' }, ['contract-first', 'mock', 'trips.yaml', ...args], folder);
const refusal = async (...args: readonly string[]): Promise<readonly string[]> => {
  const { code, stderr } = await runProcess('contract-first', ['mock', 'trips.yaml', ...args], {}, folder);
  expect(code).toBe(2);
  return stderr.trim().split('\n');
};

/** Sends a request with a JSON body. Returns the status and the body. */
async function send({ url }: ServiceProcess, method: string, target: string, body?: unknown) {
  const content =
    body === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(new URL(target, url), { method, ...content });
  const text = await response.text();
  return [response.status, text === '' ? undefined : (JSON.parse(text) as unknown)] as const;
}

let mock: ServiceProcess;
beforeAll(async () => {
  mock = await start('--data', 'data.json');
});

test('corrected resources are stored, and the contract checks use the corrections', async () => {
  const north = { title: 'North', trip_no: 1, guide: { id: 'ann', phone: expect.any(String) } };
  expect(await send(mock, 'POST', '/search', { title: 'North', guide: { id: 'ann' } })).toEqual([201, north]);
  expect(await send(mock, 'GET', '/trips/1')).toEqual([200, north]);
  expect(await send(mock, 'GET', '/search')).toEqual([200, [north]]);
  await mock.waitForOutput('getDraft');
  const [, summary] = mock.output().split('Remembers:\n');
  expect(summary?.trimEnd().split('\n')).toEqual([
    '  /trips/{trip}             create, list, read, delete',
    '  /trips/{trip}/stops/{id}  create, list',
    '  /settings                 read, replace',
    'Generates the responses of 2 operations: createDraft, getDraft',
  ]);
  const { document } = await readDocument(join(folder, 'trips.yaml'), NO_OUTSIDE);
  const { corrections } = readProgramOptions({ config: join(folder, '.contract.yaml') });
  const { failures, unused } = await checkContract({
    document,
    baseUrl: mock.url,
    corrections,
    seed: 1,
    runs: 3,
    budgetMs: 60_000,
  });
  expect(failures.map(({ check, operationId, message }) => [check, operationId, message])).toEqual([]);
  expect(unused).not.toContain('use_after_free');
  expect(unused).not.toContain('list_contains_created');
});

test('invalid corrections are errors that say how to fix them', async () => {
  const config = write(
    'wrong.yaml',
    `resources: { '/trip/{id}': {}, '/trips/{trip}': { collection: /settings/all, id: no }, '/settings': { id: a }, '/drafts/{id}': { collection: '/trips/{trip}/stops' } }`,
  );
  const paths = '/search, /trips/{trip}, /trips/{trip}/stops, /drafts, /drafts/{id}, /settings';
  expect(await refusal('--config', config)).toEqual([
    `resources: /trip/{id}: /trip/{id} is not a path of the document; it has ${paths}`,
    `resources: /trips/{trip}: /settings/all is not a path of the document; it has ${paths}`,
    'resources: /trips/{trip}: no JSON response has the member no of the type of {trip}; there are trip_no, guide, title',
    'resources: /settings: it has one resource, which needs no id; leave it out, or add the collection',
    'resources: /drafts/{id}: its collection /trips/{trip}/stops must have its parameters but the last one: none',
  ]);
  const shape = write('shape.yaml', 'resources: { /settings: yes, /drafts: { ids: a } }');
  expect((await refusal('--config', shape)).join()).toMatch(
    /shape.yaml:1:1 resources: \/settings must .*\/drafts must/,
  );
});

test('--data preserves resources after SIGKILL, with the ids of their parents and exact integers', async () => {
  const file = write(
    'kept.json',
    '{"/trips": [{"title": "Far", "trip_no": 9007199254740993}], "/trips/9007199254740993/stops": []}',
  );
  const first = await start('--data', 'kept.json');
  const [, stop] = await send(first, 'POST', '/trips/9007199254740993/stops', { city: 'Kiel' });
  await send(first, 'PUT', '/settings', { title: 'dark' });
  await until(() => readFileSync(file, 'utf8').includes('dark'), true);
  first.process.kill('SIGKILL');
  await first.outcome;
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    '/trips/9007199254740993/stops': [stop],
    '/settings': { title: 'dark' },
  });
  const second = await start('--data', 'kept.json');
  expect(await send(second, 'GET', '/trips/9007199254740993/stops')).toEqual([200, [stop]]);
  expect(await send(second, 'GET', '/settings')).toEqual([200, { title: 'dark' }]);
  await send(second, 'DELETE', '/trips/9007199254740993');
  second.process.kill('SIGTERM');
  await second.outcome;
  expect(readFileSync(file, 'utf8')).toBe('{\n  "/settings": {"title":"dark"}\n}\n');
});

test('--data rejects a file with invalid resources, lists all problems, and keeps the file unchanged', async () => {
  const text = `{"/trips": [{"title": 5, "trip_no": 1}, {"title": "b", "trip_no": 1}, {"title": "c"}], "/search": [], "/settings": []}`;
  const file = write('invalid.json', text);
  expect(await refusal('--data', file)).toEqual([
    `${file}: /trips[0]: title must be string`,
    `${file}: /trips[1] has the same id as an earlier resource: 1`,
    `${file}: /trips[2] has no valid id: set trip_no`,
    `${file}: /search has no resources that are remembered; there are /trips, /trips/{trip}/stops, /settings`,
    `${file}: /settings must be an object`,
  ]);
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect((await refusal('--data', write('torn.json', '{"/trips": ['))).join()).toMatch(/torn.json: it is not JSON: /);
});

test('the docs page shows up to 1 MB of resources, and the number of omitted resources', async () => {
  const trips = [{ title: 'Far', trip_no: 1 }];
  const stops = [1, 2, 3].map((n) => ({
    id: `${String(n)}0000000-0000-4000-8000-000000000000`,
    city: 'x'.repeat(400_000),
  }));
  write('large.json', JSON.stringify({ '/trips': trips, '/trips/1/stops': stops, '/settings': { title: 'dark' } }));
  const large = await start('--data', 'large.json');
  const [, state] = await send(large, 'GET', '/docs/state.json');
  expect(state).toEqual({
    '/trips': JSON.stringify(trips, null, 2),
    '/trips/1/stops': `${JSON.stringify(stops.slice(0, 2), null, 2)}\n… and 1 more`,
    '/settings': JSON.stringify({ title: 'dark' }, null, 2),
  });
});

test('a state that cannot be serialized is written as soon as it can be', async () => {
  const file = join(folder, 'later.json');
  const failures = [new RangeError('Invalid string length')];
  const data = openDataFile(file, () => {
    const failure = failures.pop();
    if (failure !== undefined) throw failure;
    return '{}';
  });
  data.noteChange();
  await until(() => existsSync(file), true);
  await data.close();
  expect(readFileSync(file, 'utf8')).toBe('{}');
});

test('the mock keeps serving and logs an error while the file of --data cannot be written', async () => {
  const file = join(folder, 'data.json');
  await until(() => existsSync(file), true);
  mkdirSync(`${file}.tmp`); // Blocks the temporary file.
  const refused = once(mock.process.stderr, 'data');
  expect((await send(mock, 'POST', '/search', { title: 'a' }))[0]).toBe(201);
  expect(String(await refused)).toContain('its changes are in memory only: EISDIR');
  const repeated = once(mock.process.stderr, 'data');
  rmSync(`${file}.tmp`, { recursive: true });
  expect(String(await repeated)).toContain('data.json is written again');
  expect(readFileSync(file, 'utf8')).toContain('"title":"a"');
});

test('a changed document is served without a restart, with the resources that it allows', async () => {
  const trips = async (): Promise<string> => {
    const [, state] = await send(mock, 'GET', '/docs/state.json');
    return (state as Readonly<Record<string, string>>)['/trips'] ?? '';
  };
  for (const title of ['kept', 'too long now']) await send(mock, 'POST', '/search', { title });
  const operation = `get: { operationId: getFresh, ${responses(200, '{ const: fresh }')} }`;
  const changed = DOCUMENT.replace('maxLength: 20', 'maxLength: 8').replace(
    '\npaths:',
    `$&\n  /fresh: { ${operation} }`,
  );
  write('trips.yaml', changed);
  await mock.waitForOutput('reloaded the changed document');
  expect(await send(mock, 'GET', '/fresh')).toEqual([200, 'fresh']);
  expect(await trips()).toContain('"kept"');
  expect(await trips()).not.toContain('too long now');
  let problems = '';
  mock.process.stderr.on('data', (text: string) => (problems += text));
  write('trips.yaml', 'paths: [');
  await until(() => problems.includes('still serving the last valid document'), true);
  expect(await trips()).toContain('"kept"');
  write('trips.yaml', DOCUMENT);
});

test('messages that are not HTTP are in the metrics after a change of the document, too', async () => {
  const metrics = async (): Promise<string> => (await fetch(`${mock.opsUrl}/metrics`)).text();
  write('trips.yaml', DOCUMENT.replace('version: 1.0.0', 'version: 2.0.0'));
  await until(async () => (await metrics()).includes('version="2.0.0"'), true);
  const connection = await openRawConnection(mock.url);
  connection.write('nonsense\r\n\r\n');
  expect(await connection.closed()).toContain(' 400 ');
  expect(await metrics()).toMatch(/^http_requests_total\{[^}]*status="400"[^}]*\} 1$/m);
  write('trips.yaml', DOCUMENT);
});
