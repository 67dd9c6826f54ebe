import { expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { packedFolder } from '@contract-first/testing/packed.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { run } from '@contract-first/testing/service.ts';
import { tryDocument } from '../corpus/trial.ts';

const DOCUMENTS = join(import.meta.dirname, 'documents');
const ALL = ['petstore.yaml', 'library.yaml', 'sensors.json'].slice(0, rounds(1, 3));
// npm then installs nothing, and asks no registry.
const NOT_INSTALLED = { npm_config_offline: 'true', npm_config_dry_run: 'true' };

const init = (folder: string, ...args: readonly string[]) =>
  run('contract-first', ['init', ...args], NOT_INSTALLED, folder);

/** Returns the files in a folder and below, by their paths. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .filter((file) => !file.startsWith('vendor/'))
    .sort();
}

test.each(ALL)(
  'contract-first init %s: the service type-checks, starts, passes its tests, and its mock the contract',
  async (name) => {
    await packedFolder();
    expect(await tryDocument(join(DOCUMENTS, name), name, 'contract')).not.toHaveProperty('failed');
  },
  240_000,
);

test('contract-first init writes a small project without a word about plants, and a name from the title', async () => {
  await packedFolder();
  const folder = temporaryFolder();
  const { code, stdout } = await init(folder, join(DOCUMENTS, 'library.yaml'));
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringContaining('The "Library" of Åbo is a service with 4 operations.'),
  });
  const project = join(folder, 'the-library-of-bo');
  const files = filesIn(project);
  expect(files).toEqual(expect.arrayContaining(['src/the-library-of-bo/get-books.ts', 'test/books-more.test.ts']));
  expect(files.length).toBeLessThan(35);
  const mentions = (file: string): boolean => /\bplants?\b/i.test(file + readFileSync(join(project, file), 'utf8'));
  expect(files.filter(mentions)).toEqual([]);
  expect(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8'))).toMatchObject({
    name: 'the-library-of-bo',
    version: '0.1.0',
  });
});

test('contract-first init --no-database leaves out the store and its package', async () => {
  await packedFolder();
  const folder = temporaryFolder();
  expect(await init(folder, join(DOCUMENTS, 'petstore.yaml'), 'pets', '--no-database')).toMatchObject({ code: 0 });
  const project = join(folder, 'pets');
  expect(existsSync(join(project, 'src/swagger-petstore/store.ts'))).toBe(false);
  expect(readFileSync(join(project, 'package.json'), 'utf8')).not.toContain('database');
  expect(readFileSync(join(project, 'src/service.ts'), 'utf8')).not.toContain('database');
});

test('contract-first init adds to an npm project, and overwrites nothing', async () => {
  await packedFolder();
  const folder = temporaryFolder();
  const own = { name: 'mine', type: 'module', scripts: { test: 'mocha' }, dependencies: { left: '1.0.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own));
  writeFileSync(join(folder, 'README.md'), 'mine');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/main.ts'), '// mine');
  const { code, stderr } = await init(folder, join(DOCUMENTS, 'petstore.yaml'), '.');
  expect(code).toBe(0);
  for (const line of ['README.md: kept', 'src/main.ts: kept', 'package.json: added the missing entries'])
    expect(stderr.split('\n')).toContain(line);
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('mine');
  expect(readFileSync(join(folder, 'src/main.ts'), 'utf8')).toBe('// mine');
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    ...own,
    scripts: { test: 'mocha', contract: 'contract-first check' },
    dependencies: { left: '1.0.0', '@contract-first/engine': expect.any(String) },
  });
});

test('contract-first init refuses an npm project without ES modules, and writes nothing', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{"name":"mine"}');
  const { code, stderr } = await init(folder, join(DOCUMENTS, 'petstore.yaml'), '.');
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('must have "type": "module"') });
  expect(filesIn(folder)).toEqual(['package.json']);
});

test('contract-first init refuses a document that is not valid, and writes nothing', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'wrong.yaml'), 'openapi: 3.1.0\ninfo: { title: Wrong }\npaths: {}\n');
  expect(await init(folder, 'wrong.yaml')).toMatchObject({ code: 1, stdout: '' });
  expect(filesIn(folder)).toEqual(['wrong.yaml']);
});

test('contract-first init writes a title as data', async () => {
  await packedFolder();
  const folder = temporaryFolder();
  const title = 'A $(touch pwned) `id` $& %n "b" \'c\' <i>';
  const text = `{ openapi: 3.1.0, info: { title: ${JSON.stringify(`${title}\n`)}, version: '1' }, paths: {} }`;
  writeFileSync(join(folder, 'titled.yaml'), text);
  expect(await init(folder, 'titled.yaml')).toMatchObject({ code: 0 });
  expect(existsSync(join(folder, 'pwned'))).toBe(false);
  const read = (file: string): string => readFileSync(join(folder, 'a-touch-pwned-id-n-b-c-i', file), 'utf8');
  expect(JSON.parse(read('package.json'))).toMatchObject({ description: title });
  expect(read('README.md')).toMatch(/^# A \$\(touch pwned\) \\`id\\` \$&amp; %n "b" 'c' \\<i\\>\n/);
});

test('contract-first init refuses a title with an escape character, and writes nothing', async () => {
  const folder = temporaryFolder();
  const text = String.raw`{ openapi: 3.1.0, info: { title: "a\e[2J", version: '1' }, paths: {} }`;
  writeFileSync(join(folder, 'titled.yaml'), text);
  const outcome = await init(folder, 'titled.yaml');
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'info.title must not have control characters\n' });
  expect(filesIn(folder)).toEqual(['titled.yaml']);
});

test.each([
  [[], 'name one OpenAPI document'],
  [['petstore.yaml', '--name', 'Pet Store'], '--name must be words in lower case, such as pet-store, not Pet Store'],
  [['nowhere.yaml'], 'nowhere.yaml  error: cannot be read'],
])('contract-first init %j: an error that says what to fix', async ([file, ...options], message) => {
  const args = file === undefined ? [] : [join(DOCUMENTS, file), ...options];
  const { code, stderr } = await init(temporaryFolder(), ...args);
  expect({ code, message: stderr }).toEqual({ code: 1, message: expect.stringContaining(message) });
});
