import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { generateHere, runHere } from '@contract-first/testing/command.ts';
import { copyProject } from '@contract-first/testing/project.ts';
import { EXAMPLES, runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';
import { generateCommand } from '../src/command.ts';

const STOPS =
  '<stops><stop platform="3"><station>Köln &#38; more</station></stop><stop><station>Bonn</station></stop></stops>';
const TRIP = `<trip train="9007199254740993"><fare>12.50</fare>${STOPS}</trip>`;
const CODECS = 'src/timetable/codecs.ts';

const timetable = join(EXAMPLES, 'timetable');

const post = (service: ServiceProcess, body: string | Uint8Array<ArrayBuffer>, type = 'application/xml') =>
  fetch(`${service.url}/trips`, { method: 'POST', headers: { 'Content-Type': type }, body });

test('examples/timetable reads and writes XML and JSON, exact to the last digit', async () => {
  const service = await startServiceProcess({}, undefined, timetable);
  const added = await post(service, TRIP);
  const written = TRIP.replace('12.50', '12.5').replace('</fare>', '</fare><bicycles>false</bicycles>');
  expect([added.status, added.headers.get('content-type')]).toEqual([201, 'application/xml']);
  const members = (text: string): readonly string[] => text.split(/(?=<)/).sort();
  expect(members(await added.text())).toEqual(members(`<?xml version="1.0" encoding="UTF-8"?>\n${written}\n`));

  const [json, xml] = await Promise.all(
    ['*/*', 'application/xml'].map((accept) => fetch(`${service.url}/trips`, { headers: { accept } })),
  );
  expect(await json?.text()).toContain('"train":9007199254740993');
  expect(await xml?.text()).toMatch(/<trips><trip train="9007199254740993">.*<\/trip><\/trips>\n$/);
});

test.each<[string, string, RegExp]>([
  ['XML that is not well-formed', '<trip', /not valid application\/xml: Unclosed start tag for element `trip`/],
  ['another root', '<Trip/>', /the root element must be trip$/],
  ['an element twice', TRIP.replace('</trip>', '<fare>1</fare></trip>'), /trip has fare twice$/],
  ['values that do not conform', '<trip train="x"><stops/></trip>', /body\/train must be integer/],
  ['an int64 out of range', TRIP.replace('9007', '9999007'), /body\/train must be between/],
  [
    'entities of its own',
    `<!DOCTYPE t [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>${TRIP.replace('Bonn', '&b;')}`,
    /Named entity isn't defined: &b;/,
  ],
  ['elements that are nested too deeply', '<trip>'.repeat(100_000), /not valid application\/xml$/],
])('examples/timetable refuses %s: 400', async (_case, body, message) => {
  const service = await startServiceProcess({}, undefined, timetable);
  const response = await post(service, body);
  const failure = (await response.json()) as { readonly status: number; readonly message: string };
  expect(failure.message).toMatch(message);
  expect(response.status).toBe(400);
});

test('examples/timetable decodes by the charset of the Content-Type: 201, or 400 for other encodings', async () => {
  const service = await startServiceProcess({}, undefined, timetable);
  const latin1 = new Uint8Array(Buffer.from(TRIP, 'latin1'));
  expect((await post(service, latin1, 'application/xml; charset=iso-8859-1')).status).toBe(201);
  expect((await post(service, latin1)).status).toBe(400);
});

test('examples/timetable reads a body of line ends in linear time: 201', async () => {
  const service = await startServiceProcess({}, undefined, timetable);
  expect((await post(service, TRIP.replace('Bonn', `Bonn${'\r'.repeat(1_000_000)}`))).status).toBe(201);
  expect((await post(service, TRIP.replace('Bonn', 'Bonn\r\n'.repeat(20)))).status).toBe(201);
});

test('a service does not start if its codecs differ from generated/', async () => {
  const { folder, read, write } = copyProject(timetable);
  const source = read(CODECS);
  write(CODECS, source.replace("'application/xml'", "'text/csv'"));
  expect(await generateHere(folder)).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('codecs without a body in the document: text/csv\n'),
  });
  const withoutBody = await runProcess('node', ['src/main.ts'], { PORT: '0', API_TOKENS: 'test-token' }, folder);
  expect([withoutBody.code, withoutBody.stderr]).toEqual([
    1,
    expect.stringMatching(/^generated\/contract\.json has no body for the codec of text\/csv: .*\n$/),
  ]);
  write('src/service.ts', read('src/service.ts').replace('  codecs,\n', ''));
  write(CODECS, source);
  await generateHere(folder);
  const missing = await runProcess('node', ['src/main.ts'], { PORT: '0', API_TOKENS: 'test-token' }, folder);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringMatching(/^no codec for application\/xml: .*\n$/)]);
});

test('npm run dev serves a codec once its module is saved', async () => {
  const { folder, read, write } = copyProject(timetable);
  const [service, codecs] = [read('src/service.ts'), read(CODECS)];
  write('src/service.ts', service.replace('  codecs,\n', ''));
  write(CODECS, codecs.replace("  'application/xml': xml,\n", ''));
  const dev = await startServiceProcess({}, ['sh', '-c', 'exec contract-first dev 2>&1'], folder);
  expect((await post(dev, '<trip')).status).toBe(201); // Without a codec, the handler echoes bytes.
  write('src/service.ts', service);
  write(CODECS, codecs);
  const status = () => post(dev, '<trip').then((response) => response.status);
  await until(() => status().catch(() => undefined), 400); // Requests fail during the restart.
});

const SCHEMA = '{ type: object, xml: { name: it }, properties: { a: { type: integer, xml: { attribute: true } } } }';
const BODY = `{ application/xml: { schema: { $ref: '#/components/schemas/It' } } }`;
const DOCUMENT = `openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /a:
    post:
      operationId: op
      requestBody: { content: ${BODY} }
      responses:
        '200': { description: It., content: ${BODY} }
        '400': { description: No., content: ${BODY} }
components: { schemas: { It: ${SCHEMA} } }
`;

let project: string;
beforeEach(() => {
  project = temporaryFolder();
  mkdirSync(join(project, 'src/app'), { recursive: true });
  writeFileSync(join(project, 'src/app/contract.ts'), '');
  writeFileSync(join(project, 'openapi.yaml'), DOCUMENT);
});
const generate = (...args: string[]) => runHere(generateCommand, args, project);
const writeCodecs = (text: string): void => {
  writeFileSync(join(project, 'src/app/codecs.ts'), text);
};
const readGenerated = () =>
  ['types.ts', 'contract.json'].map((name) => readFileSync(join(project, 'generated', name), 'utf8'));

test('npm run generate reads the media types with a codec from codecs.ts; an empty list changes nothing', async () => {
  await generate();
  const without = readGenerated();
  expect(without.join()).not.toMatch(/codec|"xml"/);
  writeCodecs('export const codecs = {};');
  expect(await generate()).toMatchObject({ code: 0, stdout: 'generated/ is up to date\n' });

  writeCodecs("export const codecs = { 'application/xml': xml } satisfies Record<string, Codec>;");
  expect(await generate('--check')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('contract.json is stale'),
  });
  expect(await generate()).toMatchObject({ code: 0, stderr: '' });
  const [types, contract = ''] = readGenerated();
  expect(types).toContain('codecs: "application/xml";');
  expect(types).toContain('"It": { mediaType: "application/xml"; codec: true; schema: operations["op"]');
  expect(JSON.parse(contract)).toMatchObject({
    operations: { op: { requestBody: { content: { 'application/xml': { codec: 'application/xml' } } } } },
    schemas: { '#/components/schemas/It': { xml: { name: 'it' } } },
  });
  writeCodecs('export const codecs = {};');
  await generate();
  expect(readGenerated()).toEqual(without);
});

test('npm run generate rejects a codecs module that cannot be read, and changes nothing', async () => {
  await generate();
  const before = readGenerated();
  mkdirSync(join(project, 'src/app/codecs.ts'));
  const stderr = expect.stringMatching(/^src\/app\/codecs\.ts cannot be read: it is a folder \(EISDIR\)\n$/);
  expect(await generate()).toEqual({ code: 2, stdout: '', stderr });
  expect(readGenerated()).toEqual(before);
});

test.each(['export const codecs = { ...others };', 'export const codecs = {', 'export const other = {};'])(
  'npm run generate refuses codecs that it cannot read, and changes nothing: %s',
  async (source) => {
    await generate();
    const before = readGenerated();
    writeCodecs(source);
    expect(await generate()).toEqual({
      code: 2,
      stdout: '',
      stderr: `cannot read the names of codecs from ${join('src/app/codecs.ts')}: write an object literal without a spread\n`,
    });
    expect(readGenerated()).toEqual(before);
  },
);
