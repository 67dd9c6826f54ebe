import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { copyProjectWithPackages, type Project } from '@contract-first/testing/project.ts';
import { ROOT, run, startService } from '@contract-first/testing/service.ts';

type Locked = { readonly dev?: boolean };

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
// Both files were written by npm.
const { scripts } = read('package.json') as { scripts: Readonly<Record<string, string>> };
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> };

/** Runs the command of a script like npm. */
function runScript(name: string, { folder }: Project, env: Readonly<Record<string, string>> = {}) {
  return run('sh', ['-c', scripts[name] ?? ''], env, folder);
}

test('with an unsupported version of Node, contract-first fails with one line', async () => {
  const old = join(temporaryFolder(), 'old.cjs');
  // Simulates only the version of an old Node, which is not installed.
  writeFileSync(
    old,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
     Object.defineProperty(process, 'version', { value: 'v20.20.2' });`,
  );
  expect(await run('contract-first', ['generate', '--check'], { NODE_OPTIONS: `--require ${old}` })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Node.js 22.18 or later is required, this is v20.20.2\n',
  });
});

test('after npm ci --omit=dev the service and the commands on its store work', async () => {
  const project = copyProjectWithPackages((name) => packages[`node_modules/${name}`]?.dev !== true);
  const env = { DATABASE_URL: `sqlite:${join(project.folder, 'plants.db')}` };
  const service = await startService(env, ['sh', '-c', scripts['start'] ?? ''], project.folder);
  service.process.kill('SIGTERM');
  expect(await service.outcome).toMatchObject({ code: 0, stderr: '' });
  expect(await runScript('export', project, env)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('cmd.exe can run every command of package.json', () => {
  for (const script of Object.values(scripts)) {
    for (const command of script.split(' && '))
      expect(command).toMatch(/^(?:(?:exec )?node|prettier|contract-first|tsc|eslint|jest)\b[^'$%^<>|&;]*$/);
  }
});

test('for shells without exec, npm finds a replacement that returns the exit code of its command', async () => {
  const exec = join(ROOT, 'node_modules/.bin/exec');
  expect(await run(exec, ['node', '-e', 'console.log(process.argv[1]); process.exit(3)', 'a b'])).toEqual({
    code: 3,
    stdout: 'a b\n',
    stderr: '',
  });
});
