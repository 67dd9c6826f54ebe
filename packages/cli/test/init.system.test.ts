import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { tryDocument } from '../../scripts/corpus/trial.ts';
import { copyProject, type Project } from '../support/project.ts';
import { rounds } from '../support/rounds.ts';
import { ROOT, run } from '../support/service.ts';

const DOCUMENTS = join(import.meta.dirname, 'documents');
const ALL = ['petstore.yaml', 'library.yaml', 'sensors.json'].slice(0, rounds(1, 3));
const FILES = [
  '.npmrc',
  '.ci',
  '.deploy',
  '.github',
  'README.md',
  'generated',
  'openapi.yaml',
  'package-lock.json',
  'package.json',
];

const copyWhole = (): Project => copyProject([...FILES, 'scripts', 'src', 'test', 'tsconfig.json']);
const init = ({ folder }: Project, ...args: readonly string[]) => run('node', ['scripts/init.ts', ...args], {}, folder);

test.each(ALL)(
  'npm run init %s: the service type-checks, starts, passes its tests, and its mock the contract',
  async (name) => {
    expect(await tryDocument(join(DOCUMENTS, name), name, 'contract')).not.toHaveProperty('failed');
  },
  240_000,
);

test('npm run init leaves nothing about plants outside the shared folders, and a name from the title', async () => {
  const project = copyWhole();
  const { stdout } = await init(project, join(DOCUMENTS, 'library.yaml'));
  expect(stdout).toContain('The "Library" of Åbo is a service with 4 operations.');
  const files = readdirSync(project.folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(project.folder, join(parentPath, name)))
    .filter((file) => !/^(?:node_modules|\.git|scripts|src\/engine)\//.test(file));
  expect(files).toEqual(expect.arrayContaining(['src/the-library-of-bo/get-books.ts', 'test/books-more.test.ts']));
  const isLeft = (file: string): boolean => /plant/i.test(file) || /\bplants?\b/i.test(project.read(file));
  expect(files.filter((file) => file !== 'README.md' && isLeft(file))).toEqual([]);
  expect(JSON.parse(project.read('package.json'))).toMatchObject({ name: 'the-library-of-bo', version: '0.1.0' });
});

test('npm run init refuses a document that is not valid, and changes nothing', async () => {
  const project = copyWhole();
  project.write('wrong.yaml', 'openapi: 3.1.0\ninfo: { title: Wrong }\npaths: {}\n');
  expect(await init(project, 'wrong.yaml')).toMatchObject({ code: 1, stdout: '' });
  expect(project.read('openapi.yaml')).toBe(readFileSync(join(ROOT, 'openapi.yaml'), 'utf8'));
  expect(existsSync(join(project.folder, 'src/plants/handlers.ts'))).toBe(true);
});

test('npm run init writes a title as data, and prints a command that commits it unchanged', async () => {
  const project = copyWhole();
  const title = 'A $(touch pwned) `id` $& %n "b" \'c\' <i>';
  project.write(
    'titled.yaml',
    `{ openapi: 3.1.0, info: { title: ${JSON.stringify(`${title}\n`)}, version: '1' }, paths: {} }`,
  );
  const { code, stdout } = await init(project, 'titled.yaml');
  expect(code).toBe(0);
  const [, message = ''] = /--message (.*)/.exec(stdout) ?? [];
  expect(await run('sh', ['-c', `printf %s ${message}`], {}, project.folder)).toMatchObject({ stdout: title });
  expect(existsSync(join(project.folder, 'pwned'))).toBe(false);
  const unit = project.read('.deploy/a-touch-pwned-id-n-b-c-i.service');
  expect(unit).toContain(`\nDescription=${title.replace('%', '%%')}\n`);
  expect(project.read('README.md')).toMatch(/^# A \$\(touch pwned\) \\`id\\` \$&amp; %n "b" 'c' \\<i\\>\n/);
});

test('npm run init refuses a title with an escape character, and changes nothing', async () => {
  const project = copyWhole();
  project.write('titled.yaml', String.raw`{ openapi: 3.1.0, info: { title: "a\e[2J", version: '1' }, paths: {} }`);
  const outcome = await init(project, 'titled.yaml');
  expect(outcome).toEqual({ code: 1, stdout: '', stderr: 'info.title must not have control characters\n' });
  expect(existsSync(join(project.folder, 'src/plants/handlers.ts'))).toBe(true);
});

test('npm run init changes nothing when a file cannot be rendered', async () => {
  const project = copyWhole();
  const list = (): readonly string[] =>
    execFileSync('find', ['.', '-type', 'f', '-exec', 'sha256sum', '{}', '+'], {
      cwd: project.folder,
      encoding: 'utf8',
    })
      .split('\n')
      .sort();
  project.write('scripts/init/template/src/NAME/failures.ts', 'export const failures = {\n} satisfies ;');
  const before = list();
  expect(await init(project, join(DOCUMENTS, 'petstore.yaml'))).toMatchObject({ code: 1 });
  expect(list()).toEqual(before);
});

test('npm run init refuses while git has changes that it would lose', async () => {
  const project = copyWhole();
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project.folder });
  git('init', '--quiet');
  git('add', 'openapi.yaml');
  const refused = { code: 1, stdout: '', stderr: 'commit or stash your changes first: this command removes files\n' };
  expect(await init(project, join(DOCUMENTS, 'petstore.yaml'))).toEqual(refused);
  git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '--quiet', '--all', '--message', 'A');
  expect(await init(project, join(DOCUMENTS, 'petstore.yaml'))).toEqual(refused); // Untracked files.
});

test.each([
  [[], 'name one OpenAPI document'],
  [['petstore.yaml', '--name', 'Pet Store'], '--name must be words in lower case, such as pet-store, not Pet Store'],
  [['nowhere.yaml'], 'nowhere.yaml  error: cannot be read'],
])('npm run init %j: an error that says what to fix', async ([file, ...options], message) => {
  const args = file === undefined ? [] : [join(DOCUMENTS, file), ...options];
  const { code, stderr } = await init(copyWhole(), ...args);
  expect({ code, message: stderr }).toEqual({ code: 1, message: expect.stringContaining(message) });
});
