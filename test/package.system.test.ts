import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { copyProjectWithPackages, type Project } from '@contract-first/testing/project.ts';
import { ROOT, runProcess, startServiceProcess } from '@contract-first/testing/service.ts';

type Locked = { readonly dev?: boolean };

const read = (name: string): unknown => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
// Both files were written by npm.
const { scripts } = read('package.json') as { scripts: Readonly<Record<string, string>> };
const { packages } = read('package-lock.json') as { packages: Readonly<Record<string, Locked>> };

/** Runs the command of a script like npm. */
function runScript(name: string, { folder }: Project, env: Readonly<Record<string, string>> = {}) {
  return runProcess('sh', ['-c', scripts[name] ?? ''], env, folder);
}

test('after npm ci --omit=dev the service and the commands on its store work', async () => {
  const project = copyProjectWithPackages((name) => packages[`node_modules/${name}`]?.dev !== true, ROOT);
  const env = { DATABASE_URL: `sqlite:${join(project.folder, 'plants.db')}` };
  const service = await startServiceProcess(env, ['sh', '-c', scripts['start'] ?? ''], project.folder);
  service.process.kill('SIGTERM');
  expect(await service.outcome).toMatchObject({ code: 0, stderr: '' });
  expect(await runScript('export', project, env)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('cmd.exe can run every command of package.json', () => {
  for (const script of Object.values(scripts)) {
    for (const command of script.split(' && '))
      expect(command).toMatch(/^(?:(?:exec )?node|prettier|contract-first|tsc|oxlint|jest)\b[^'$%^<>|&;]*$/);
  }
});
