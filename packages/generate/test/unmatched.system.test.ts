import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { generateHere } from '@contract-first/testing/command.ts';
import {
  copyProject,
  typecheckApplicationOnly,
  withHandlers,
  withOperations,
  type Project,
} from '@contract-first/testing/project.ts';
import { ROOT, runProcess, type Outcome } from '@contract-first/testing/service.ts';

const HANDLERS = 'src/guests/handlers.ts';
const MISSING = Array.from('ABCDEFGHIJ', (letter) => `countGuests${letter}`);
const STALE = ['oldThing', 'olderThing', 'oldestThing'];

let project: Project;
function createProject(): void {
  project = copyProject();
  typecheckApplicationOnly(project);
}

const generate = (...args: string[]) => generateHere(project.folder, ...args);
const typecheck = () => runProcess('tsc', [], {}, project.folder);

function add(operationIds: readonly string[], handlers: readonly string[]): void {
  project.write('openapi.yaml', withOperations(project.read('openapi.yaml'), ...operationIds));
  const lines = handlers.map((name) => `${name}: async () => ({ status: 204 }),`);
  project.write(HANDLERS, withHandlers(project.read(HANDLERS), ...lines));
}

describe('operations without a handler and handlers without an operation', () => {
  let generated: Outcome;
  beforeAll(async () => {
    createProject();
    add(MISSING, STALE);
    generated = await generate();
  });

  test('are listed by npm run generate, also with -- --check, which they do not fail', async () => {
    const list = [
      `operations without a handler: ${MISSING.join(', ')}; npm run generate -- --scaffold adds handlers`,
      `handlers without an operation: ${STALE.join(', ')}`,
      '',
    ].join('\n');
    const names = ['generated/types.ts', 'generated/openapi.json', 'generated/contract.json'];
    expect(generated).toEqual({ code: 0, stdout: `${names.join('\n')}\n${list}`, stderr: '' });
    expect(await generate('--check')).toEqual({ code: 0, stdout: `generated/ is up to date\n${list}`, stderr: '' });
  });

  test('fail npm run typecheck, each by name, and nothing else does', async () => {
    const { code, stdout } = await typecheck();
    expect(code).not.toBe(0);
    expect(stdout.trim().split('\n').map(withoutPosition).sort()).toEqual(
      [
        ...MISSING.map((name) => left(name, 'an operation without a handler')),
        ...STALE.map((name) => left(name, 'a handler without an operation')),
      ].sort(),
    );
  });

  test('stop the start with NODE_ENV=production, in one line that names every operation', async () => {
    const env = { NODE_ENV: 'production', API_TOKENS: 'test-token', DATABASE_URL: `sqlite:${temporaryFolder()}/p.db` };
    expect(await runProcess('node', ['src/main.ts'], env, project.folder)).toEqual({
      code: 1,
      stdout: '',
      stderr: `no handler for ${MISSING.join(', ')}: NODE_ENV=production needs all of them\n`,
    });
  });
});

test('an operation that is renamed is reported as both, by npm run generate and npm run typecheck', async () => {
  createProject();
  project.write('openapi.yaml', project.read('openapi.yaml').replace('createGuest', 'addGuest'));
  expect((await generate()).stdout).toContain(
    'operations without a handler: addGuest; npm run generate -- --scaffold adds handlers\nhandlers without an operation: createGuest\n',
  );
  const lines = (await typecheck()).stdout.split('\n').map(withoutPosition);
  expect(lines).toContain(left('addGuest', 'an operation without a handler'));
  expect(lines).toContain(left('createGuest', 'a handler without an operation'));
});

test('npm run generate -- --scaffold adds the handlers and failures, which pass the type check and lint', async () => {
  createProject();
  for (const name of ['.oxlintrc.json', '.editorconfig', '.prettierignore']) {
    project.write(name, readFileSync(join(ROOT, name), 'utf8'));
  }
  const failure =
    '{ description: No., content: { application/problem+json: { schema: { type: object, required: [status, title, detail, password, errors], properties: { status: { type: integer }, title: { type: string }, detail: { type: string }, password: { type: string, writeOnly: true }, errors: { type: array, items: { type: string } } } } } } }';
  add(["it's-a-name-that-is-too-long-for-a-line-with-its-import-and-its-types"], []);
  project.write('openapi.yaml', project.read('openapi.yaml').replace("{ '204':", `{ '400': ${failure}, '204':`));
  expect(await generate('--scaffold')).toMatchObject({ code: 0, stderr: '' });
  expect(project.read('src/guests/failures.ts')).not.toContain('password');
  expect(await typecheck()).toMatchObject({ code: 0, stdout: '' });
  const lint = await runProcess('oxlint', ['src/guests'], {}, project.folder);
  expect(lint.code === 0 ? '' : lint.stdout).toBe('');
  expect(await runProcess('prettier', ['--check', 'src/guests'], {}, project.folder)).toMatchObject({ code: 0 });
});

test.each([
  ['spread from elsewhere', (source: string) => withHandlers(source, '...others(store),')],
  ['returned by another function', (source: string) => source.replace('createHandlers', 'makeHandlers')],
])('for handlers that are %s, npm run generate refers to the type check', async (_name, edit) => {
  createProject();
  project.write(HANDLERS, edit(project.read(HANDLERS)));
  const line = `cannot read the handler names from ${HANDLERS}: npm run typecheck names missing and superfluous handlers`;
  expect(await generate()).toEqual({ code: 0, stdout: `generated/ is up to date\n${line}\n`, stderr: '' });
});

function left(name: string, problem: string): string {
  const index = `'string' index type '"an operation with its handler"'`;
  return `${HANDLERS}: error TS2411: Property '${name}' of type '"${problem}"' is not assignable to ${index}.`;
}

function withoutPosition(line: string): string {
  return line.replace(/\(\d+,\d+\)/, '');
}
