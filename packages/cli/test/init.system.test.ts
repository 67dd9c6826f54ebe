import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { NO_PROGRAMS, packedFolder } from '@contract-first/testing/packed.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { ROOT, runProcess } from '@contract-first/testing/service.ts';
import { tryDocument } from '../corpus/trial.ts';
import { generateCommand } from '../../generate/src/command.ts';
import { initCommand } from '../../generate/src/init/command.ts';

const DOCUMENTS = join(import.meta.dirname, 'documents');
const ALL = ['petstore.yaml', 'library.yaml', 'sensors.json'].slice(0, rounds(1, 3));

const init = (folder: string, ...args: readonly string[]) => runHere(initCommand, args, folder, NO_PROGRAMS);

/** Returns the files in a folder by path, recursively. */
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

test('npm run corpus -w packages/cli creates a service per document in a folder, and prints a table', async () => {
  const args = ['run', '--silent', 'corpus', '-w', 'packages/cli', '--', DOCUMENTS, '--count', '1', '--until', 'init'];
  const { code, stdout, stderr } = await runProcess('npm', args, {}, ROOT);
  expect({ code, stdout, stderr }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\| /m),
    stderr: expect.stringMatching(/^1\/1 \S+: passed\n/m),
  });
}, 240_000);

test('contract-first init writes a small project without mentions of plants, named after the title', async () => {
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

test('contract-first init --no-database omits the store and its package', async () => {
  await packedFolder();
  const folder = temporaryFolder();
  expect(await init(folder, join(DOCUMENTS, 'petstore.yaml'), 'pets', '--no-database')).toMatchObject({ code: 0 });
  const project = join(folder, 'pets');
  expect(existsSync(join(project, 'src/swagger-petstore/store.ts'))).toBe(false);
  expect(readFileSync(join(project, 'package.json'), 'utf8')).not.toContain('database');
  expect(readFileSync(join(project, 'src/service.ts'), 'utf8')).not.toContain('database');
});

test('contract-first init adds to an npm project without tests, and overwrites nothing', async () => {
  await packedFolder();
  const folder = temporaryFolder();
  const echo = 'echo "Error: no test specified" && exit 1';
  const own = { name: 'mine', type: 'module', scripts: { test: echo }, dependencies: { typescript: '5.0.0' } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(own, null, '\t'));
  writeFileSync(join(folder, 'README.md'), 'mine');
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/main.ts'), '// mine');
  const { code, stderr } = await init(folder, join(DOCUMENTS, 'petstore.yaml'), '.');
  expect({ code, lines: stderr.split('\n') }).toEqual({
    code: 0,
    lines: expect.arrayContaining(['README.md: kept', 'src/main.ts: kept', 'package.json: added the missing entries']),
  });
  expect(readFileSync(join(folder, 'README.md'), 'utf8')).toBe('mine');
  expect(readFileSync(join(folder, 'src/main.ts'), 'utf8')).toBe('// mine');
  expect(existsSync(join(folder, '.npmrc'))).toBe(false);
  const text = readFileSync(join(folder, 'package.json'), 'utf8');
  expect(text).toContain('\n\t"scripts"');
  const { devDependencies, ...manifest } = JSON.parse(text) as Record<string, object>;
  expect(manifest).toMatchObject({
    scripts: { test: expect.stringContaining('jest'), contract: 'contract-first check' },
    dependencies: { typescript: '5.0.0', '@contract-first/engine': expect.any(String) },
  });
  expect(devDependencies).not.toHaveProperty('typescript');
});

test.each([
  ['a script', { scripts: { test: 'mocha', start: 'node .' } }, ', kept its scripts test, start'],
  ['settings for Jest', { jest: { testMatch: ['**/*.spec.js'] } }, ''],
])('contract-first init adds no tests to an npm project with tests of its own: %s', async (_name, own, note) => {
  await packedFolder();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'mine', type: 'module', ...own }));
  const { code, stdout, stderr } = await init(folder, join(DOCUMENTS, 'petstore.yaml'), '.');
  expect({ code, lines: stderr.split('\n') }).toEqual({
    code: 0,
    lines: expect.arrayContaining([
      'test: left out, since the project has tests of its own',
      `package.json: added the missing entries${note.replace('test, ', '')}`,
    ]),
  });
  expect(stdout.includes('npm start ')).toBe(note === '');
  expect([existsSync(join(folder, 'test')), existsSync(join(folder, 'jest.config.js'))]).toEqual([false, false]);
  const { devDependencies, ...manifest } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
    string,
    object
  >;
  expect(manifest).toMatchObject(own);
  expect(devDependencies).not.toHaveProperty('jest');
});

test('contract-first init in the folder of a document with several files keeps the files in place', async () => {
  await packedFolder();
  const folder = temporaryFolder();
  cpSync(join(DOCUMENTS, 'library.yaml'), join(folder, 'openapi.yaml'));
  cpSync(join(DOCUMENTS, 'library-schemas.yaml'), join(folder, 'library-schemas.yaml'));
  expect(await init(folder, 'openapi.yaml', '.')).toMatchObject({ code: 0 });
  const text = readFileSync(join(folder, 'openapi.yaml'), 'utf8');
  expect(text).toBe(readFileSync(join(DOCUMENTS, 'library.yaml'), 'utf8'));
  expect(await runHere(generateCommand, ['--check'], folder)).toMatchObject({ code: 0 });
});

test('contract-first init bundles a document with several files, with all digits of its integers', async () => {
  await packedFolder();
  const folder = temporaryFolder();
  const head = "openapi: 3.1.0\ninfo: { title: Digits, version: '1' }\nsecurity: []\npaths: {}\n";
  const components = "components: { schemas: { Big: { $ref: 'big.yaml' } } }\n";
  writeFileSync(join(folder, 'digits.yaml'), head + components);
  writeFileSync(join(folder, 'big.yaml'), 'type: integer\nformat: int64\nmaximum: 9223372036854775807\n');
  expect(await init(folder, 'digits.yaml')).toMatchObject({ code: 0 });
  const text = readFileSync(join(folder, 'digits/openapi.yaml'), 'utf8');
  expect(text).toContain('maximum: 9223372036854775807\n');
});

test.each([
  ['another openapi.yaml', 'openapi.yaml', 'openapi: 3.1.0', 'is another document: rename it, or name another folder'],
  ['a project of an earlier init', 'generated/contract.json', '{}', 'npm run generate updates the project'],
  ['a package.json that is not an object', 'package.json', 'null', 'must be an object'],
])('contract-first init refuses a folder with %s, and writes nothing', async (_name, file, text, message) => {
  await packedFolder();
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'generated'));
  writeFileSync(join(folder, file), text);
  const { code, stdout, stderr } = await init(folder, join(DOCUMENTS, 'petstore.yaml'), '.');
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
  expect(filesIn(folder)).toEqual([file]);
});

const writeAt = (name: string) => (folder: string) => {
  writeFileSync(join(folder, name), 'mine');
};

test.each<[string, string, (folder: string) => unknown]>([
  ['a file in place of a folder', '.', writeAt('src')],
  [
    'a folder in place of a file',
    '.',
    (folder: string) => mkdirSync(join(folder, 'tsconfig.json/mine'), { recursive: true }),
  ],
  [
    'a link to nothing',
    'link',
    (folder: string) => {
      symlinkSync('nothing', join(folder, 'link'));
    },
  ],
  ['a folder in a file', 'file/sub', writeAt('file')],
  ['a name that is too long', 'x'.repeat(300), () => undefined],
])('contract-first init leaves nothing where it cannot write all files: %s', async (_name, target, prepare) => {
  await packedFolder();
  const folder = temporaryFolder();
  const manifest = '{"name":"mine","type":"module"}';
  writeFileSync(join(folder, 'package.json'), manifest);
  prepare(folder);
  const before = readdirSync(folder, { recursive: true });
  const { code, stderr } = await init(folder, join(DOCUMENTS, 'petstore.yaml'), target);
  expect({ code, last: stderr.trim().split('\n').at(-1) }).toEqual({
    code: 2,
    last: expect.stringMatching(/ cannot have the project: E[A-Z]+: /),
  });
  expect(readdirSync(folder, { recursive: true })).toEqual(before);
  expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(manifest);
});

test.each([
  ['-a b', "cd './-a b'"],
  ['it\'s "$HOME" %41#', `cd 'it'\\''s "$HOME" %41#'`],
])('contract-first init says how to enter the folder %s', async (name, line) => {
  await packedFolder();
  const folder = temporaryFolder();
  const { stdout } = await init(folder, '--', join(DOCUMENTS, 'petstore.yaml'), name);
  expect(stdout.split('\n')).toContain(line);
  expect(await runHere(generateCommand, ['--check'], join(folder, name))).toMatchObject({ code: 0 });
});

test.each([
  ['npm', undefined, undefined, 'npm ci', 'npm start'],
  ['pnpm', 'pnpm/11.2.0 npm/? node/v24.0.0', undefined, 'npx --yes pnpm@11.2.0 install --frozen-lockfile', undefined],
  ['yarn', 'yarn/1.22.22 npm/? node/v24.0.0', undefined, 'npx --yes yarn@1.22.22 install --frozen-lockfile', undefined],
  [
    'yarn',
    'yarn/4.18.1 npm/? node/v24.0.0',
    undefined,
    'npx --yes --package=@yarnpkg/cli-dist@4.18.1 yarn install --immutable',
    undefined,
  ],
  ['bun', 'npm/11.0.0 node/v24.0.0', 'bun.lock', 'npx --yes bun@latest install --frozen-lockfile', undefined],
  [
    'deno',
    'deno/2.9.6 npm/? deno/2.9.6',
    undefined,
    'npx --yes deno@2.9.6 install --frozen-lockfile',
    'deno task start',
  ],
  [
    'deno',
    'npm/11.0.0 node/v24.0.0',
    'deno.lock',
    'npx --yes deno@latest install --frozen-lockfile',
    'deno task start',
  ],
])(
  'contract-first init uses the package manager of the caller, or of the lock file: %s, %s',
  async (name, agent, lockFile, install, start = `${name} run start`) => {
    await packedFolder();
    const folder = temporaryFolder();
    if (lockFile !== undefined) {
      writeFileSync(join(folder, lockFile), '');
      writeFileSync(join(folder, 'package.json'), '{"name":"mine","type":"module"}');
    }
    const environment = { ...NO_PROGRAMS, npm_config_user_agent: agent };
    const args = [join(DOCUMENTS, 'petstore.yaml'), '.', '--no-database'];
    const { code, stdout } = await runHere(initCommand, args, folder, environment);
    const [manager = ''] = start.split(' ');
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: expect.arrayContaining([
        expect.stringMatching(new RegExp(`^${manager} install +has failed; repeat it$`)),
        expect.stringMatching(new RegExp(`^${start} +serves it$`)),
      ]),
    });
    const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
    expect(read('.ci/run')).toContain(`\n${install}\n`);
    expect(read('README.md')).toContain(`\n${start}\n`);
    expect(read('package.json')).not.toMatch(/"node-|swagger-ui/);
    // The shells of Yarn 4, Bun and Deno have no command `exec`.
    const hasExec = manager === 'npm' || manager === 'pnpm' || agent?.startsWith('yarn/1') === true;
    expect(read('package.json')).toContain(`"start": "${hasExec ? 'exec ' : ''}node `);
    expect(existsSync(join(folder, 'exec.cmd'))).toBe(hasExec);
  },
);

test('contract-first init rejects an empty folder name, such as from an unset variable', async () => {
  const folder = temporaryFolder();
  const { code, stderr } = await init(folder, join(DOCUMENTS, 'petstore.yaml'), '');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/^the folder has no name$/m) });
  expect(readdirSync(folder)).toEqual([]);
});

test('contract-first init rejects a file as its folder', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'taken'), '');
  const args = ['init', join(DOCUMENTS, 'petstore.yaml'), 'taken'];
  // In a separate process, since it exits.
  const { code, stdout, stderr } = await runProcess('contract-first', args, {}, folder);
  expect({ code, stdout, stderr }).toEqual({
    code: 2,
    stdout: '',
    stderr: `reading ${args[1] ?? ''}\n${join(folder, 'taken')} is not a folder\n`,
  });
});

test('contract-first init rejects an npm project without ES modules, and writes nothing', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), '{"name":"mine"}');
  const { code, stderr } = await init(folder, join(DOCUMENTS, 'petstore.yaml'), '.');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('must have "type": "module"') });
  expect(filesIn(folder)).toEqual(['package.json']);
});

test('contract-first init rejects an invalid document, and writes nothing', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'wrong.yaml'), 'openapi: 3.1.0\ninfo: { title: Wrong }\npaths: {}\n');
  expect(await init(folder, 'wrong.yaml')).toMatchObject({ code: 2, stdout: '' });
  expect(filesIn(folder)).toEqual(['wrong.yaml']);
});

test('contract-first init escapes the title', async () => {
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

test('contract-first init rejects a title with an escape character, and writes nothing', async () => {
  const folder = temporaryFolder();
  const text = String.raw`{ openapi: 3.1.0, info: { title: "a\e[2J", version: '1' }, paths: {} }`;
  writeFileSync(join(folder, 'titled.yaml'), text);
  const outcome = await init(folder, 'titled.yaml');
  expect(outcome).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^info\.title must not have control characters$/m),
  });
  expect(filesIn(folder)).toEqual(['titled.yaml']);
});

test.each([
  [[], "missing required argument 'DOCUMENT'"],
  [['petstore.yaml', '--name', 'Pet Store'], '--name must be words in lower case, such as pet-store, not Pet Store'],
  [['nowhere.yaml'], 'nowhere.yaml  error: cannot be read'],
])('contract-first init %j: an error with the fix', async ([file, ...options], message) => {
  const args = file === undefined ? [] : [join(DOCUMENTS, file), ...options];
  const { code, stderr } = await init(temporaryFolder(), ...args);
  expect({ code, message: stderr }).toEqual({ code: 2, message: expect.stringContaining(message) });
});
