import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../support/app.ts';
import { ROOT, run } from '../support/service.ts';

describe('npm run contract:diff', () => {
  const CONTRACT = `
openapi: 3.1.0
info:
  title: Plants
  version: 1.0.0
security: []
paths:
  /plants:
    post:
      operationId: createPlant
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/NewPlant' } } }
      responses:
        '200':
          description: The plant.
          content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } }
        '400':
          description: Not a plant.
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
        default:
          description: Any other failure.
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
components:
  schemas:
    Plant:
      type: object
      required: [name]
      properties:
        name: { type: string }
        tag: { type: string }
    NewPlant:
      allOf:
        - $ref: '#/components/schemas/Plant'
        - type: object
          required: [id]
          properties:
            id: { type: integer, format: int64 }
    Error:
      type: object
      required: [error, message]
      properties:
        error: { type: integer, format: int32 }
        message: { type: string }
`;
  const RENAMED = CONTRACT.replaceAll('tag:', 'label:');
  let project: string;
  beforeEach(() => {
    project = temporaryFolder();
    write('openapi.yaml', CONTRACT);
  });
  const write = (name: string, content: string): void => {
    writeFileSync(join(project, name), content);
  };
  const diff = (...args: string[]) => run('node', [join(ROOT, 'scripts/contract-diff.ts'), ...args], {}, project);
  const git = async (...args: string[]): Promise<void> => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    expect(await run('git', [...identity, ...args], {}, project)).toMatchObject({ code: 0 });
  };
  const commit = async (message: string): Promise<void> => {
    await git('add', '.');
    await git('commit', '--quiet', '--message', message);
  };

  test('0 and no findings for a document compared with itself', async () => {
    write('base.yaml', CONTRACT);
    expect(await diff('--base', 'base.yaml')).toEqual({
      code: 0,
      stdout: '0 errors, 0 warnings, 0 notes\n',
      stderr: '',
    });
    expect(await diff('--base', 'base.yaml', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  test('1 and aligned lines, worst first and without colours, when something breaks', async () => {
    write('base.yaml', CONTRACT);
    write('openapi.yaml', RENAMED.replace('required: [name]', 'required: [name, label]'));
    const { code, stdout, stderr } = await diff('--base', 'base.yaml');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'ERR   new-required-request-property       POST /plants  request body: property label was added, required (/components/schemas/Plant/properties/label)',
      'WARN  request-property-removed            POST /plants  request body: property tag was removed (/components/schemas/Plant/properties/tag)',
      'WARN  response-optional-property-removed  POST /plants  response 200 body: property tag was removed (/components/schemas/Plant/properties/tag)',
      'INFO  response-required-property-added    POST /plants  response 200 body: property label was added (/components/schemas/Plant/properties/label)',
      '1 error, 2 warnings, 1 note',
      '',
    ]);
  });

  test('0 when there are warnings only', async () => {
    write('base.yaml', CONTRACT);
    write('openapi.yaml', RENAMED);
    expect(await diff('--base', 'base.yaml')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^WARN/) });
  });

  test('--json gives the findings as one array', async () => {
    write('base.yaml', CONTRACT);
    write('openapi.yaml', CONTRACT.replace('format: int64', 'format: int32'));
    const { code, stdout } = await diff('--base', 'base.yaml', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual([
      {
        rule: 'request-property-type-changed',
        level: 'ERR',
        pointer: '/components/schemas/NewPlant/allOf/1/properties/id',
        operation: 'POST /plants',
        message: 'request body/id: type integer (int64) became integer (int32)',
      },
    ]);
  });

  test('takes the base from a git revision, also in a folder of the repository', async () => {
    await git('init', '--quiet');
    await commit('first');
    write('openapi.yaml', CONTRACT.replace('/plants:', '/flowers:'));
    expect(await diff('--base', 'HEAD')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^ERR {3}api-path-removed-without-deprecation {2}POST \/plants /),
    });
    await commit('second');
    expect(await diff('--base', 'HEAD')).toMatchObject({ code: 0 });
    expect(await diff('--base', 'HEAD~1')).toMatchObject({ code: 1 });

    mkdirSync(join(project, 'service'));
    write('service/openapi.yaml', CONTRACT);
    await commit('third');
    const inFolder = run(
      'node',
      [join(ROOT, 'scripts/contract-diff.ts'), '--base', 'HEAD'],
      {},
      join(project, 'service'),
    );
    expect(await inFolder).toMatchObject({ code: 0, stdout: '0 errors, 0 warnings, 0 notes\n' });
  });

  test('takes a base of several files', async () => {
    const [head = '', error = ''] = CONTRACT.split('\n    Error:\n');
    write('error.yaml', error.replaceAll(/^ {6}/gm, ''));
    write('base.yaml', `${head}\n    Error:\n      $ref: error.yaml\n`);
    expect(await diff('--base', 'base.yaml')).toEqual({
      code: 0,
      stdout: '0 errors, 0 warnings, 0 notes\n',
      stderr: '',
    });
  });

  describe('2 and one line when the comparison is impossible:', () => {
    test.each<readonly [string, readonly string[], RegExp]>([
      ['no base', [], /--base <git revision or file> is required/],
      ['an unknown option', ['--bass', 'HEAD'], /Unknown option '--bass'/],
      ['a base that does not exist', ['--base', 'nowhere'], /nowhere is neither a file nor a git revision/],
      ['a base that looks like an option', ['--base=--all'], /--all is neither a file nor a git revision/],
      ['a revision without a document', ['--base', 'HEAD'], /the git revision HEAD has no openapi\.yaml/],
      [
        'a revision with an invalid one',
        ['--base', 'broken'],
        /broken:openapi\.yaml:\d+:\d+ #\/info.* error: .*version/,
      ],
      ['a file that is not a document', ['--base', 'other.txt'], /other\.txt {2}error: must be an OpenAPI document/],
    ])('%s', async (_name, args, message) => {
      write('other.txt', 'text');
      await git('init', '--quiet');
      write('openapi.yaml', CONTRACT.replace('  version: 1.0.0\n', ''));
      await commit('broken');
      await git('tag', 'broken');
      rmSync(join(project, 'openapi.yaml'));
      await commit('none');
      write('openapi.yaml', CONTRACT);
      const { code, stdout, stderr } = await diff(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(message);
      expect(stderr).toMatch(/^contract:diff: [^\n]*\n$/);
    });

    test('the document itself is invalid', async () => {
      write('base.yaml', CONTRACT);
      write('openapi.yaml', CONTRACT.replaceAll('schemas/Error', 'schemas/Mistake'));
      expect(await diff('--base', 'base.yaml')).toEqual({
        code: 2,
        stdout: '',
        stderr: expect.stringMatching(
          /^contract:diff: openapi\.yaml:\d+:\d+ .*Can't resolve \$ref.* \(and 1 more\)\n$/,
        ),
      });
    });
  });
});
