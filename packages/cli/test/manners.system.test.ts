import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isNamed } from '@contract-first/command-line/options';
import { checkCommand } from '@contract-first/check/command';
import { proxyCommand } from '@contract-first/check/proxy';
import { diffCommand } from '@contract-first/diff/command';
import { generateCommand } from '@contract-first/generate/command';
import { devCommand } from '@contract-first/generate/dev';
import { initCommand } from '@contract-first/generate/init';
import { mockCommand } from '@contract-first/mock/command';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { main } from '../src/main.ts';
import { rulePages } from '../src/rule-pages.ts';
import { optionsSchema } from '../src/options-schema.ts';

const COMMANDS = [checkCommand, diffCommand, mockCommand, proxyCommand, initCommand, generateCommand, devCommand];
const contractFirst = (...args: readonly string[]) => runHere(main, args, temporaryFolder());

test.each([[], ['help'], ['-h'], ['--help']])('contract-first %j lists all commands', async (...args) => {
  const { code, stdout, stderr } = await contractFirst(...args);
  expect([code, stderr]).toEqual([0, '']);
  for (const { declaration } of COMMANDS) expect(stdout).toMatch(new RegExp(`^  ${declaration.name} {2,}\\S`, 'm'));
});

test.each(COMMANDS.map(({ declaration }) => declaration))(
  'help $name has every option, examples and exit codes',
  async (declaration) => {
    const { code, stdout } = await contractFirst('help', declaration.name);
    expect(code).toBe(0);
    for (const { name } of declaration.options.filter(isNamed))
      expect(stdout).toMatch(new RegExp(`^  (?:-\\w, )?--${name}(?: |$)`, 'm'));
    for (const [line] of declaration.examples) expect(stdout).toContain(`\n    ${line}\n`);
    expect(stdout).toContain('\nExit codes:\n  0 ');
    expect(await contractFirst(declaration.name, '-h')).toMatchObject({ code, stdout });
  },
);

test.each([['-v'], ['--version'], ['check', '-v'], ['mock', '--version']])(
  'contract-first %j prints the version',
  async (...args) => {
    expect(await contractFirst(...args)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      stderr: '',
    });
  },
);

test.each([
  [['chek'], "unknown command 'chek'\n(Did you mean check?)"],
  [['help', 'dif'], "unknown command 'dif'\n(Did you mean diff?)"],
  [['mcok'], "unknown command 'mcok'\n(Did you mean mock?)"],
  [['genrte'], "unknown command 'genrte'\n(Did you mean generate?)"],
  ...['lint', 'docs', 'edit'].map((word) => [[word], `unknown command '${word}'\nsee `] as const),
  [['mock', '--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
  [['diff', '--fail', 'ERR'], "unknown option '--fail'"],
  [['init'], "missing required argument 'DOCUMENT'"],
  [['completion'], "missing required argument 'SHELL'"],
  [['check', 'a.yaml', 'http://b'], "superfluous argument 'http://b': write --url http://b"],
  [['proxy', 'a.yaml', 'npm', 'test'], "superfluous argument 'npm': write -- before the command"],
  [['diff', 'a.yaml', 'b.yaml', 'c.yaml'], "superfluous argument 'c.yaml'"],
])('exit 2, the mistake and the help: contract-first %j', async (args, message) => {
  const { code, stdout, stderr } = await contractFirst(...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain(`error: ${message}`);
  expect(stderr).toMatch(/^see contract-first.* --help$/m);
});

const IS_FOLDER = 'cannot be read: it is a folder (EISDIR)';
test.each([
  [
    'diff openapi.yaml',
    diffCommand,
    'name the revision, too: the base is openapi.yaml, its default; or a base such as HEAD',
  ],
  ['generate .', generateCommand, IS_FOLDER],
  ['init .', initCommand, IS_FOLDER],
  ['mock .', mockCommand, IS_FOLDER],
  ['mock a.yaml --config .', mockCommand, IS_FOLDER],
  ['check . --url http://127.0.0.1:1', checkCommand, IS_FOLDER],
  ['diff a.yaml b.yaml --config .', diffCommand, IS_FOLDER],
  ['mock -p x', mockCommand, '--port must be an integer'],
  ['proxy -p x', proxyCommand, '--port must be an integer'],
  ['dev -p x', devCommand, '--port must be an integer'],
  ['dev', devCommand, 'there is no src/main.ts to run: contract-first init writes a project'],
  ['init https://example.com/a.yaml', initCommand, 'is a URL: download it, and name the file'],
  ['generate https://example.com/a.yaml', generateCommand, 'is a URL: download it, and name the file'],
  ['check https://example.com/a.yaml --url http://127.0.0.1:1', checkCommand, ': download it, and name the file'],
])('exit 2 and what to do: contract-first %s', async (line, command, message) => {
  const { code, stdout, stderr } = await runHere(command, line.split(' ').slice(1), temporaryFolder());
  expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(message) });
});

test('generate takes the name of a document; --json prints the result', async () => {
  const folder = temporaryFolder();
  const document = { openapi: '3.1.0', info: { title: 'Pets', version: '1' }, security: [], paths: {} };
  writeFileSync(join(folder, 'pet.json'), JSON.stringify(document));
  const { code, stdout } = await runHere(generateCommand, ['pet.json', '--json'], folder);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ isCurrent: true, files: expect.arrayContaining(['contract.json']) });
  expect(readdirSync(join(folder, 'generated'))).toContain('contract.json');
  expect(await runHere(generateCommand, ['pet.json', '--quiet'], folder)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('options.schema.json describes the options file: npm run schema -w packages/cli writes it', async () => {
  const schema: unknown = JSON.parse(readFileSync(new URL('../options.schema.json', import.meta.url), 'utf8'));
  expect(schema).toEqual(optionsSchema(COMMANDS.map(({ declaration }) => declaration)));
  const validate = new Ajv2020({ allowUnionTypes: true, validateFormats: false }).compile(schema as object); // An object.
  const ignored = { rule: 'api-path-removed', reason: 'Unused.', until: '2026-12-31' };
  const file = { runs: 50, header: ['X-A: 1'], credential: { key: 'a' }, resources: { '/a/{id}': false } };
  expect(validate({ ...file, diff: { ignore: [ignored], 'fail-on': 'WARN' }, mock: { port: 1 } })).toBe(true);
  for (const wrong of [{ run: 5 }, { runs: [] }, { diff: { 'fail-on': 'all' } }, { mock: { runs: 5 } }])
    expect(validate(wrong)).toBe(false);
});

test('every check and every family of rules has a page: npm run pages -w packages/cli writes them', () => {
  const docs = new URL('../../../docs/', import.meta.url);
  const written = ['checks', 'rules'].flatMap((folder) =>
    readdirSync(new URL(folder, docs)).map((name) => `${folder}/${name}`),
  );
  expect(written.sort()).toEqual([...rulePages().keys()].sort());
  for (const [path, text] of rulePages()) expect(readFileSync(new URL(path, docs), 'utf8')).toBe(text);
});

test.each([
  ['che', 1, ['check']],
  ['check --url', 2, ['--url']],
  ['diff --fail-on W', 3, ['WARN']],
  ['check --report j', 3, ['junit:', 'json:']],
])('the completion of bash completes "%s"', async (line, word, expected) => {
  const { stdout } = await contractFirst('completion', 'bash');
  const script = `${stdout}\nCOMP_WORDS=(contract-first ${line}) COMP_CWORD=${String(word)}\n_contract_first\nprintf '%s\\n' "\${COMPREPLY[@]}"`;
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' }).trim().split('\n')).toEqual(expected);
});

test.each(['zsh', 'fish'])('the completion of %s names every command', async (shell) => {
  const { code, stdout } = await contractFirst('completion', shell);
  expect(code).toBe(0);
  for (const { declaration } of COMMANDS) expect(stdout).toContain(declaration.name);
});
