import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { guestTables } from '@contract-first/testing/fixture/src/guests/guest-book.ts';
import { copyProject, withHandlers, withOperations, type Project } from '@contract-first/testing/project.ts';
import { startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { sqlOf } from '../../database/src/migrations.ts';
import { storeSchemaOf } from '../../database/src/sqlite/open-file.ts';

const HANDLERS = 'src/guests/handlers.ts';
const GUEST = { id: 1, name: 'Anna' };

let project: Project;
let contract: string;
let dev: ServiceProcess;
let token: string;
let running: boolean;
beforeEach(async () => {
  project = copyProject();
  contract = project.read('openapi.yaml');
  // Runs the command of `npm run dev` with standard error redirected to standard output.
  const command = ['sh', '-c', 'unset API_TOKENS; exec contract-first dev 2>&1'];
  dev = await startServiceProcess(
    { DATABASE_URL: `sqlite:${join(project.folder, 'guests.db')}` },
    command,
    project.folder,
  );
  running = true;
  void dev.outcome.then(() => (running = false));
  await dev.waitForOutput('\ncurl ');
  token = /Bearer ([^']+)'/.exec(dev.output())?.[1] ?? '';
});

const save = (text: string): void => {
  project.write('openapi.yaml', text);
};

/** Repeats a request until the response has a status. Returns the body. */
async function answered(status: number, path: string, init: RequestInit = {}): Promise<unknown> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  while (running) {
    const response = await fetch(`${dev.url}${path}`, { ...init, headers }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.status === status && text !== undefined) return text === '' ? undefined : JSON.parse(text);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`npm run dev ended: ${dev.output()}`);
}
const createGuest = () => answered(200, '/guests', { method: 'POST', body: JSON.stringify(GUEST) });

test('npm run dev serves a new operation once the document is saved: 501 until there is a handler, then its response', async () => {
  expect(await createGuest()).toEqual({ name: 'Anna' });

  save(withOperations(contract, 'countGuests'));
  const missing = { error: 501, message: 'countGuests is not implemented yet' };
  expect(await answered(501, '/countGuests')).toEqual(missing);
  await dev.waitForOutput('operations without a handler: countGuests; npm run generate -- --scaffold adds handlers\n');
  expect(await createGuest()).toEqual({ name: 'Anna' });

  project.write(
    'src/guests/count-guests.ts',
    `import type { Reply } from './contract.ts';
       export async function countGuests(): Promise<Reply<'countGuests'>> { return { status: 204 }; }`,
  );
  const source = withHandlers(project.read(HANDLERS), 'countGuests: () => countGuests(),');
  project.write(HANDLERS, `import { countGuests } from './count-guests.ts';\n${source}`);
  expect(await answered(204, '/countGuests')).toBeUndefined();
  expect(await createGuest()).toEqual({ name: 'Anna' });
  expect(dev.output().match(/^curl /gm)).toHaveLength(1);
});

test('npm run dev reports an invalid document with the place of the error and keeps serving the last valid one', async () => {
  save(withOperations(contract, 'countGuests').replaceAll('schemas/Error', 'schemas/Mistake'));
  await dev.waitForOutput('still serving the last valid document');
  expect(dev.output()).toMatch(
    /^openapi\.yaml:\d+:\d+ #\/paths\/.* error: \$ref leads to nothing: no Mistake in #\/components\/schemas/m,
  );
  expect(await createGuest()).toEqual({ name: 'Anna' });
  expect(await answered(404, '/countGuests')).toMatchObject({ error: 404 });

  save(withOperations(contract, 'countGuests'));
  expect(await answered(501, '/countGuests')).toMatchObject({ error: 501 });
});

test('npm run dev serves the last of several quick saves, and a save that replaces the file', async () => {
  for (const name of ['one', 'two', 'three']) save(withOperations(contract, name));
  await answered(501, '/three');
  project.write('openapi.yaml.new', withOperations(contract, 'four'));
  renameSync(join(project.folder, 'openapi.yaml.new'), join(project.folder, 'openapi.yaml'));
  await answered(501, '/four');
  save(withOperations(contract, 'five'));
  await answered(501, '/five');
});

test('npm run dev watches the files that the document references, even before they exist', async () => {
  const guest = "  schemas:\n    Guest:\n      $ref: './schemas/guest.yaml'\n    OldGuest:";
  save(contract.replace('  schemas:\n    Guest:', guest));
  await dev.waitForOutput('openapi.yaml was rejected');
  mkdirSync(join(project.folder, 'schemas'));
  project.write('schemas/guest.yaml', '{ type: object, required: [height], properties: { height: { type: number } } }');
  expect(await answered(400, '/guests', { method: 'POST', body: JSON.stringify(GUEST) })).toMatchObject({
    message: "body must have required property 'height'",
  });
  project.write('schemas/guest.yaml', '{ type: object, properties: { name: { type: string } } }');
  expect(await createGuest()).toEqual({ name: 'Anna' });
});

test('npm run dev regenerates when formats are declared', async () => {
  save(contract.replace('description: The name of the guest.', 'format: upper'));
  project.write(
    'src/guests/formats.ts',
    `import type { Formats } from '@contract-first/engine';
     export const formats: Formats<{ upper: string }> = {
       upper: { decode: (text) => text.toUpperCase(), encode: (text) => text },
     };`,
  );
  const service = project.read('src/service.ts').replace('  failures,\n', '  failures,\n  formats,\n');
  project.write('src/service.ts', `import { formats } from './guests/formats.ts';\n${service}`);
  let guest: unknown;
  do guest = await createGuest();
  while (JSON.stringify(guest) !== '{"name":"ANNA"}');
});

test('npm run dev reports a service that does not start, and starts it after the next change', async () => {
  const source = project.read(HANDLERS);
  project.write(HANDLERS, `${source}\nthrow new Error('half written');`);
  await dev.waitForOutput('the service exited with code 1');
  expect(dev.output()).toContain('half written');
  project.write(HANDLERS, source);
  expect(await createGuest()).toEqual({ name: 'Anna' });
});

test('npm run dev refuses a changed migration, and starts the service after the change of its file', async () => {
  const path = 'src/guests/guest-book.ts';
  const source = project.read(path).replace('either,', 'either, migrationsIn,');
  const [first = '', second = ''] = storeSchemaOf(guestTables).migrations.map((migration) => sqlOf(migration, ''));
  mkdirSync(join(project.folder, 'src/guests/migrations'));
  project.write('src/guests/migrations/1-guests.sql', first.replace('guests', 'visitors'));
  project.write('src/guests/migrations/2-key.sql', second);
  const files = "migrations: migrationsIn(new URL('migrations', import.meta.url)),";
  project.write(path, source.replace(/migrations: \{[^]*?\n {2}\},/, files));
  await dev.waitForOutput('it restarts after the next change');
  expect(dev.output()).toContain('its migration 1-guests.sql was changed after it was applied');

  project.write('src/guests/migrations/1-guests.sql', first);
  expect(await createGuest()).toEqual({ name: 'Anna' });
});

test('npm run dev replaces a service that no longer responds to SIGTERM', async () => {
  const source = project.read(HANDLERS);
  save(withOperations(contract, 'countGuests'));
  project.write(HANDLERS, withHandlers(source, "countGuests: async () => { console.log('in a loop'); for (;;); },"));
  const never = answered(204, '/countGuests').catch(() => undefined);
  await Promise.race([never, dev.waitForOutput('in a loop')]);
  project.write(HANDLERS, source);
  expect(await answered(501, '/countGuests')).toMatchObject({ error: 501 });
});

test.each(['SIGTERM', 'SIGINT'] as const)('npm run dev %s stops it and the service, with exit 0', async (signal) => {
  dev.process.kill(signal);
  expect(await dev.outcome).toMatchObject({ code: 0, stderr: '' });
  await expect(fetch(dev.url)).rejects.toThrow();
});

test('npm run dev ends the service when it is killed', async () => {
  dev.process.kill('SIGKILL');
  await dev.outcome; // Resolves after the service has also closed standard output.
  await expect(fetch(dev.url)).rejects.toThrow();
});
