import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { copyProject, withHandlers, withOperations, type Project } from '@contract-first/testing/project.ts';
import { startService, type Service } from '@contract-first/testing/service.ts';

const HANDLERS = 'src/plants/handlers.ts';
const PLANT = { id: 1, name: 'Fern' };

let project: Project;
let contract: string;
let dev: Service;
let token: string;
let running: boolean;
beforeEach(async () => {
  project = copyProject();
  contract = project.read('openapi.yaml');
  // Runs the command of `npm run dev` with standard error redirected to standard output.
  const command = ['sh', '-c', 'unset API_TOKENS; exec contract-first dev 2>&1'];
  dev = await startService({ DATABASE_URL: `sqlite:${join(project.folder, 'plants.db')}` }, command, project.folder);
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
const createPlant = () => answered(200, '/plants', { method: 'POST', body: JSON.stringify(PLANT) });

test('npm run dev serves a new operation once the document is saved: 501 until there is a handler, then its response', async () => {
  expect(await createPlant()).toEqual({ name: 'Fern' });

  save(withOperations(contract, 'countPlants'));
  const missing = { error: 501, message: 'countPlants is not implemented yet' };
  expect(await answered(501, '/countPlants')).toEqual(missing);
  await dev.waitForOutput('operations without a handler: countPlants\n');
  expect(await createPlant()).toEqual({ name: 'Fern' });

  project.write(
    'src/plants/count-plants.ts',
    `import type { Reply } from './contract.ts';
       export async function countPlants(): Promise<Reply<'countPlants'>> { return { status: 204 }; }`,
  );
  const source = withHandlers(project.read(HANDLERS), 'countPlants: () => countPlants(),');
  project.write(HANDLERS, `import { countPlants } from './count-plants.ts';\n${source}`);
  expect(await answered(204, '/countPlants')).toBeUndefined();
  expect(await createPlant()).toEqual({ name: 'Fern' });
  expect(dev.output().match(/^curl /gm)).toHaveLength(1);
});

test('npm run dev reports an invalid document with the place of the error and keeps serving the last valid one', async () => {
  save(withOperations(contract, 'countPlants').replaceAll('schemas/Error', 'schemas/Mistake'));
  await dev.waitForOutput('still serving the last valid document');
  expect(dev.output()).toMatch(/^openapi\.yaml:\d+:\d+ #\/paths\/.* error: Can't resolve \$ref/m);
  expect(await createPlant()).toEqual({ name: 'Fern' });
  expect(await answered(404, '/countPlants')).toMatchObject({ error: 404 });

  save(withOperations(contract, 'countPlants'));
  expect(await answered(501, '/countPlants')).toMatchObject({ error: 501 });
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
  const plant = "  schemas:\n    Plant:\n      $ref: './schemas/plant.yaml'\n    OldPlant:";
  save(contract.replace('  schemas:\n    Plant:', plant));
  await dev.waitForOutput('openapi.yaml was rejected');
  mkdirSync(join(project.folder, 'schemas'));
  project.write('schemas/plant.yaml', '{ type: object, required: [height], properties: { height: { type: number } } }');
  expect(await answered(400, '/plants', { method: 'POST', body: JSON.stringify(PLANT) })).toMatchObject({
    message: "body must have required property 'height'",
  });
  project.write('schemas/plant.yaml', '{ type: object, properties: { name: { type: string } } }');
  expect(await createPlant()).toEqual({ name: 'Fern' });
});

test('npm run dev regenerates when formats are declared', async () => {
  save(contract.replace('description: The name of the plant.', 'format: upper'));
  project.write(
    'src/plants/formats.ts',
    `import type { Formats } from '@contract-first/engine';
     export const formats: Formats<{ upper: string }> = {
       upper: { decode: (text) => text.toUpperCase(), encode: (text) => text },
     };`,
  );
  const service = project.read('src/service.ts').replace('  failures,\n', '  failures,\n  formats,\n');
  project.write('src/service.ts', `import { formats } from './plants/formats.ts';\n${service}`);
  let plant: unknown;
  do plant = await createPlant();
  while (JSON.stringify(plant) !== '{"name":"FERN"}');
});

test('npm run dev reports a service that does not start, and starts it after the next change', async () => {
  const source = project.read(HANDLERS);
  project.write(HANDLERS, `${source}\nthrow new Error('half written');`);
  await dev.waitForOutput('the service exited with code 1');
  expect(dev.output()).toContain('half written');
  project.write(HANDLERS, source);
  expect(await createPlant()).toEqual({ name: 'Fern' });
});

test('npm run dev replaces a service that no longer responds to SIGTERM', async () => {
  const source = project.read(HANDLERS);
  save(withOperations(contract, 'countPlants'));
  project.write(HANDLERS, withHandlers(source, "countPlants: async () => { console.log('in a loop'); for (;;); },"));
  const never = answered(204, '/countPlants').catch(() => undefined);
  await Promise.race([never, dev.waitForOutput('in a loop')]);
  project.write(HANDLERS, source);
  expect(await answered(501, '/countPlants')).toMatchObject({ error: 501 });
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
