import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './support/app.ts';
import { ROOT, run } from './support/service.ts';

const CONTRACT = readFileSync(join(ROOT, 'openapi.yaml'), 'utf8');

let project: string;
beforeEach(() => {
  project = temporaryFolder();
});

const generate = (...args: string[]) => run('node', [join(ROOT, 'scripts/generate.ts'), ...args], {}, project);
const writeContract = (text: string): void => {
  writeFileSync(join(project, 'openapi.yaml'), text);
};
const readGenerated = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]));

describe('npm run generate', () => {
  test('the same document always gives the same files, and they are the ones in the repository', async () => {
    writeContract(CONTRACT);
    const names = ['generated/types.ts', 'generated/operations.ts', 'generated/document.json'];
    expect(await generate()).toEqual({ code: 0, stdout: `${names.join('\n')}\n`, stderr: '' });
    expect(readGenerated(join(project, 'generated'))).toEqual(readGenerated(join(ROOT, 'generated')));
    expect(await generate()).toEqual({ code: 0, stdout: 'generated/ is up to date\n', stderr: '' });
  });

  test('-- --check names what is stale or missing, exits 1 and changes nothing', async () => {
    writeContract(CONTRACT);
    await generate();
    expect(await generate('--check')).toEqual({ code: 0, stdout: 'generated/ is up to date\n', stderr: '' });

    const before = readGenerated(join(project, 'generated'));
    writeContract(CONTRACT.replace('createPlant', 'addPlant'));
    const names = ['generated/types.ts', 'generated/operations.ts', 'generated/document.json'];
    const stderr = names.map((name) => `${name} is stale: run npm run generate\n`).join('');
    expect(await generate('--check')).toEqual({ code: 1, stdout: '', stderr });
    expect(readGenerated(join(project, 'generated'))).toEqual(before);
  });

  test('finds every int64, through references, lists, maps, unions and recursion', async () => {
    writeContract(
      withSchema(`
      type: object
      properties:
        plain: { type: integer }
        nullable: { type: [integer, 'null'], format: int64 }
        list: { type: array, items: { type: integer, format: int64 } }
        map:
          type: object
          properties: { size: { type: integer } }
          additionalProperties: { type: integer, format: int64 }
        either: { oneOf: [{ type: string }, { type: integer, format: int64 }] }
        children: { type: array, items: { $ref: '#/components/schemas/Body' } }
        text: { $ref: '#/components/schemas/Text' }`),
    );
    expect(await generate()).toMatchObject({ code: 0, stderr: '' });
    const generated = readGenerated(join(project, 'generated'));
    const json = /export const int64Shapes = ([^]*?) as const;/.exec(generated['operations.ts'] ?? '')?.[1] ?? '';
    expect(JSON.parse(json)).toEqual({
      '#/components/schemas/Body': {
        properties: {
          nullable: { int64: true },
          list: { items: { int64: true } },
          map: { properties: { size: {} }, additionalProperties: { int64: true } },
          either: { allOf: [{ int64: true }] },
          children: { items: { $ref: '#/components/schemas/Body' } },
        },
      },
    });
    expect(generated['types.ts']).toMatch(/nullable\?: bigint \| null;\s+list\?: bigint\[\];/);
  });
});

describe('a document is refused with its place and the reason, and generated/ stays as it was:', () => {
  test.each<[string, string, RegExp]>([
    ['not YAML', 'openapi: 3.1.0\n  info: x\n', /^openapi\.yaml:2:7 {2}error: bad indentation/],
    ['empty', '', /^openapi\.yaml {2}error: must be an OpenAPI document of version 3\.0 or 3\.1/],
    ['OpenAPI 3.2', CONTRACT.replace('3.1.0', '3.2.0'), /version 3\.0 or 3\.1, not "3\.2\.0"/],
    ['Swagger 2', 'swagger: "2.0"\n', /version 3\.0 or 3\.1/],
    ['not what OpenAPI says', CONTRACT.replace('  version: 1.0.0\n', ''), /openapi\.yaml:\d+:\d+ #\/info.*`version`/],
    [
      'a reference to nothing',
      CONTRACT.replaceAll('schemas/Error', 'schemas/Mistake'),
      /openapi\.yaml:\d+:\d+ #\/paths\/~1plants\/post\/responses\/400.* error: Can't resolve \$ref/,
    ],
    [
      'no operationId',
      CONTRACT.replace('      operationId: createPlant\n', ''),
      /#\/paths\/~1plants\/post.*operationId/,
    ],
    [
      'an operationId that is not an identifier',
      CONTRACT.replace('createPlant', 'create-plant'),
      /openapi\.yaml:\d+:\d+ #\/paths\/~1plants\/post\/operationId {2}error: "create-plant" is not an identifier/,
    ],
    [
      'a security scheme without a checker',
      CONTRACT.replace('type: http\n      scheme: bearer', 'type: apiKey\n      in: header\n      name: X-Key'),
      /openapi\.yaml:\d+:\d+ #\/components\/securitySchemes\/bearerAuth {2}error: .* no checker for apiKey/,
    ],
    [
      'a security scheme that is not defined',
      CONTRACT.replace('- bearerAuth: []', '- other: []'),
      /openapi\.yaml:\d+:\d+ #\/security\/0\/other {2}error: There is no `other` security scheme/,
    ],
    [
      'parameters',
      CONTRACT.replace(
        '      requestBody:',
        '      parameters: [{ name: q, in: query, schema: { type: string } }]\n      requestBody:',
      ),
      /#\/paths\/~1plants\/post {2}error: parameters are not supported yet/,
    ],
    [
      'a media type other than JSON',
      CONTRACT.replace('application/json:', 'application/xml:'),
      /#\/paths\/~1plants\/post\/requestBody {2}error: media type application\/xml is not supported yet/,
    ],
    [
      'a schema that cannot be compiled',
      CONTRACT.replace('description: The name of the plant.', "pattern: '['"),
      /#\/paths\/~1plants\/post {2}error: cannot be validated: .*\[/,
    ],
  ])('%s', async (_what, text, problem) => {
    mkdirSync(join(project, 'generated'));
    writeFileSync(join(project, 'generated', 'types.ts'), 'as it was');
    writeContract(text);
    const { code, stdout, stderr } = await generate();
    expect(stderr).toMatch(problem);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(readGenerated(join(project, 'generated'))).toEqual({ 'types.ts': 'as it was' });
  });

  test('there is none', async () => {
    const outcome = await generate();
    expect(outcome).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^openapi\.yaml {2}error: cannot be read/),
    });
  });
});

function withSchema(schema: string): string {
  return `
openapi: 3.1.0
info: { title: Test, version: 1.0.0 }
security: []
paths:
  /things:
    post:
      operationId: createThing
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Body' } } } }
      responses: { '204': { description: Done. } }
components:
  schemas:
    Text: { type: string }
    Body:${schema}
`;
}
