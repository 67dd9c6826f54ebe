import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { copyBuildInfo } from '@contract-first/testing/modules.ts';
import { copyProjectWithContract } from '@contract-first/testing/project.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { ROOT, run, type Outcome } from '@contract-first/testing/service.ts';

test('each contract in examples generates, type-checks, starts and agrees with its service', async () => {
  const entries = readdirSync(join(ROOT, 'examples'), { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const projects = names.map((name) => ({ name, folder: copyProjectWithContract(name).folder }));
  const runInEach = (...args: readonly string[]): Promise<(Outcome & { readonly name: string })[]> =>
    Promise.all(
      projects.map(async ({ name, folder }) => ({ name, ...(await run('contract-first', args, {}, folder)) })),
    );
  const each = (expected: Partial<Outcome>) => projects.map(({ name }) => ({ name, ...expected }));

  expect(await runInEach('generate')).toMatchObject(each({ code: 0, stderr: '' }));
  expect(await typecheck(projects.map(({ folder }) => folder))).toMatchObject({ code: 0, stdout: '' });
  const runs = String(rounds(2, 30));
  const checked = await runInEach('check', '--runs', runs, '--seed', '1', '--budget', '300');
  expect(checked).toMatchObject(each({ code: 0 }));
}, 300_000);

/** Type-checks several applications at once, as each alone takes most of that time. */
function typecheck(folders: readonly string[]): Promise<Outcome> {
  const folder = temporaryFolder();
  const file = join(folder, 'tsconfig.json');
  copyBuildInfo(ROOT, folder, ['node_modules', 'packages', 'src']);
  const include = folders.flatMap((folder) => [join(folder, 'src'), join(folder, 'generated')]);
  const compilerOptions = {
    typeRoots: [join(ROOT, 'node_modules/@types')],
    tsBuildInfoFile: join(folder, '.tsbuildinfo'),
  };
  writeFileSync(file, JSON.stringify({ extends: join(ROOT, 'tsconfig.json'), compilerOptions, include, exclude: [] }));
  return run('tsc', ['--project', file]);
}
