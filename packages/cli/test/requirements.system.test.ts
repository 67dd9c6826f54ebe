import { expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { copyProject, type Project } from '../support/project.ts';
import { ROOT, run, startService } from '../support/service.ts';

type Locked = { readonly dev?: boolean };

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
// npm wrote both files.
const { scripts } = read('package.json') as { scripts: Readonly<Record<string, string>> };
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> };
const names = Object.keys(scripts);

const oneLine = (text: RegExp) => ({
  code: 1,
  stdout: '',
  stderr: expect.stringMatching(new RegExp(`^${text.source}\\n$`)),
});

/** Runs the command of a script as npm does. */
function runScript(name: string, { folder }: Project, env: Readonly<Record<string, string>> = {}) {
  return run('sh', ['-c', scripts[name] ?? ''], env, folder);
}

/** Copies the project, with the packages that meet a condition. */
function copyWithPackages(isInstalled: (locked: Locked) => boolean): Project {
  const project = copyProject();
  rmSync(join(project.folder, 'node_modules'));
  const installed = Object.keys(packages).filter(
    (path) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && isInstalled(packages[path] ?? {}),
  );
  for (const path of installed) {
    mkdirSync(dirname(join(project.folder, path)), { recursive: true });
    symlinkSync(join(ROOT, path), join(project.folder, path));
  }
  return project;
}

test('with a Node that is too old, every npm command is refused in one line that says so', async () => {
  const project = copyProject();
  const old = join(project.folder, 'old.cjs');
  // Only the version is that of an old Node, which a fresh machine does not have.
  writeFileSync(
    old,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
     Object.defineProperty(process, 'version', { value: 'v20.20.2' });`,
  );
  for (const name of names) {
    const outcome = await runScript(name, project, { NODE_OPTIONS: `--require ${old}` });
    expect({ name, ...outcome }).toEqual({
      name,
      ...oneLine(/Node\.js 24 or later is required, this is v20\.20\.2: run npm ci, .*/),
    });
  }
});

test('before npm ci, every npm command is refused in one line that says so', async () => {
  const project = copyWithPackages(() => false);
  for (const name of names) {
    const outcome = await runScript(name, project);
    expect({ name, ...outcome }).toEqual({
      name,
      ...oneLine(/the package \S+ is not installed: run npm ci(?:, without --omit=dev)?/),
    });
  }
});

const PRODUCTION = ['start', 'export', 'import', 'backup', 'restore'];

test('after npm ci --omit=dev the commands of development are refused in one line that says so', async () => {
  const project = copyWithPackages(({ dev }) => dev !== true);
  for (const name of names.filter((name) => !PRODUCTION.includes(name))) {
    const outcome = await runScript(name, project);
    expect({ name, ...outcome }).toEqual({
      name,
      ...oneLine(/the package \S+ is not installed: run npm ci, without --omit=dev/),
    });
  }
});

test('after npm ci --omit=dev the service and the commands on its store work', async () => {
  const project = copyWithPackages(({ dev }) => dev !== true);
  const env = { DATABASE_URL: `sqlite:${join(project.folder, 'plants.db')}` };
  const service = await startService(env, ['sh', '-c', scripts['start'] ?? ''], project.folder);
  service.process.kill('SIGTERM');
  expect(await service.outcome).toMatchObject({ code: 0, stderr: '' });
  expect(await runScript('export', project, env)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('an error in a file of the project keeps its stack', async () => {
  const project = copyProject();
  project.write('scripts/mock.ts', "import './missing.ts';");
  const { code, stderr } = await runScript('mock', project);
  expect(code).toBe(1);
  expect(stderr).toMatch(/Cannot find module '.*\/scripts\/missing\.ts' imported from .*\n +at /);
});

test('cmd.exe has every command of package.json that npm gives to it', () => {
  // Its `set` takes everything up to an unquoted && for the value of a variable.
  for (const script of Object.values(scripts)) {
    for (const command of script.split(' && '))
      expect(command).toMatch(/^(?:set \w+=[^%^<>|&']*|(?:node|prettier) [^'$%^<>|&;]*)$/);
  }
});
