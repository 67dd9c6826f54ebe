import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CONTRACT, createDiffProject, type DiffProject } from './support/diff-project.ts';

const RENAMED = CONTRACT.replaceAll('tag:', 'label:');
let project: DiffProject;
beforeEach(() => {
  project = createDiffProject();
});
const write = (name: string, content: string): void => {
  project.write(name, content);
};
const diff = (...args: string[]) => project.diff(...args);

test('npm run contract:diff exits with 0 and no findings for a document compared with itself', async () => {
  write('base.yaml', CONTRACT);
  expect(await diff('--base', 'base.yaml')).toEqual({
    code: 0,
    stdout: '0 errors, 0 warnings, 0 notes\n',
    stderr: '',
  });
  expect(await diff('--base', 'base.yaml', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});

test('npm run contract:diff exits with 1 and a block for each change, worst first and without colours, when something breaks', async () => {
  write('base.yaml', CONTRACT);
  write('openapi.yaml', RENAMED.replace('required: [name]', 'required: [name, label]'));
  const { code, stdout, stderr } = await diff('--base', 'base.yaml');
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout.split('\n')).toEqual([
    'openapi.yaml:30 /components/schemas/Plant/properties/label',
    '  ERR   new-required-request-property     request body: property label was added, required',
    '  INFO  response-required-property-added  response 200 body: property label was added',
    '  in POST /plants',
    'base.yaml:30 /components/schemas/Plant/properties/tag',
    '  WARN  request-property-removed            request body: property tag was removed',
    '  WARN  response-optional-property-removed  response 200 body: property tag was removed',
    '  in POST /plants',
    'openapi.yaml:5 /info/version',
    '  INFO  api-version-not-bumped  the document breaks clients, but is still version 1.0.0',
    'about the rules: docs/rules/request-bodies.md',
    'about the rules: docs/rules/responses.md',
    '1 error, 1 warning, 1 note in 1 operation',
    '',
  ]);
});

test('npm run contract:diff prints the default of a new required property', async () => {
  write('base.yaml', CONTRACT);
  const withDefault = RENAMED.replace('required: [name]', 'required: [name, label]').replace(
    /(label: *\{[^}]*)\}/,
    '$1, default: a }',
  );
  write('openapi.yaml', withDefault);
  expect((await diff('--base', 'base.yaml')).stdout).toContain(
    'property label was added, required, with the default "a"',
  );
});

test('npm run contract:diff exits with 0 if there are only warnings', async () => {
  write('base.yaml', CONTRACT);
  write('openapi.yaml', RENAMED);
  expect(await diff('--base', 'base.yaml')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ {2}WARN/m) });
});

test('npm run contract:diff --json prints the changes as one array', async () => {
  write('base.yaml', CONTRACT);
  write('openapi.yaml', CONTRACT.replace('format: int64', 'format: int32'));
  const { code, stdout } = await diff('--base', 'base.yaml', '--json');
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual([
    {
      level: 'ERR',
      side: 'revision',
      file: 'openapi.yaml',
      line: 37,
      column: 13,
      pointer: '/components/schemas/NewPlant/allOf/1/properties/id',
      findings: [
        {
          rule: 'request-property-type-changed',
          level: 'ERR',
          message: 'request body/id: type integer (int64) became integer (int32)',
          page: 'docs/rules/request-bodies.md',
        },
      ],
      operations: ['POST /plants'],
    },
    expect.objectContaining({ pointer: '/info/version', level: 'INFO', operations: [] }),
  ]);
});

test('npm run contract:diff reads the base from a git revision, also in a subfolder of the repository', async () => {
  await project.git('init', '--quiet');
  await project.commit('first');
  write('openapi.yaml', CONTRACT.replace('/plants:', '/flowers:'));
  expect(await diff('--base', 'HEAD')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^ {2}ERR {3}api-path-removed-without-deprecation .*\n {2}in POST \/plants$/m),
  });
  await project.commit('second');
  expect(await diff('--base', 'HEAD')).toMatchObject({ code: 0 });
  expect(await diff('--base', 'HEAD~1')).toMatchObject({ code: 1 });

  write('service/openapi.yaml', CONTRACT);
  await project.commit('third');
  expect(await project.diffIn('service', '--base', 'HEAD')).toMatchObject({
    code: 0,
    stdout: '0 errors, 0 warnings, 0 notes\n',
  });
});

test('npm run contract:diff reads a base with several files', async () => {
  const [head = '', error = ''] = CONTRACT.split('\n    Error:\n');
  write('error.yaml', error.replaceAll(/^ {6}/gm, ''));
  write('base.yaml', `${head}\n    Error:\n      $ref: error.yaml\n`);
  expect(await diff('--base', 'base.yaml')).toEqual({
    code: 0,
    stdout: '0 errors, 0 warnings, 0 notes\n',
    stderr: '',
  });
});

test.each<readonly [string, readonly string[], RegExp]>([
  ['no base', [], /name the base/],
  ['a base that does not exist', ['--base', 'nowhere'], /nowhere is neither a file nor a git revision/],
  ['a base that looks like an option', ['--base=--all'], /--all is neither a file nor a git revision/],
  ['a revision without a document', ['--base', 'HEAD'], /the git revision HEAD has no openapi\.yaml/],
  ['a revision with an invalid one', ['--base', 'broken'], /broken:openapi\.yaml:\d+:\d+ #\/info.* error: .*version/],
  ['a file that is not a document', ['--base', 'other.txt'], /other\.txt {2}error: must be an OpenAPI document/],
])(
  'npm run contract:diff exits with 2 and one line when the comparison is impossible: %s',
  async (_name, args, message) => {
    write('other.txt', 'text');
    await project.git('init', '--quiet');
    write('openapi.yaml', CONTRACT.replace('  version: 1.0.0\n', ''));
    await project.commit('broken');
    await project.git('tag', 'broken');
    rmSync(join(project.folder, 'openapi.yaml'));
    await project.commit('none');
    write('openapi.yaml', CONTRACT);
    const { code, stdout, stderr } = await diff(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/^contract-first diff: [^\n]*\n$/);
  },
);

test('npm run contract:diff exits with 2 and one line when the comparison is impossible: the document itself is invalid', async () => {
  write('base.yaml', CONTRACT);
  write('openapi.yaml', CONTRACT.replaceAll('schemas/Error', 'schemas/Mistake'));
  expect(await diff('--base', 'base.yaml')).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      /^contract-first diff: revision openapi\.yaml:\d+:\d+ .*\$ref leads to nothing: no Mistake in #\/components\/schemas.* \(and 1 more\)\n$/,
    ),
  });
});
