import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { generateHere, runHere } from '@contract-first/testing/command.ts';
import { copyBuildInfo } from '@contract-first/testing/modules.ts';
import { copyProjectWithContract } from '@contract-first/testing/project.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { ROOT, run, type Outcome } from '@contract-first/testing/service.ts';
import { checkCommand } from '@contract-first/check/command';

test('each contract in examples generates, type-checks, starts and agrees with its service', async () => {
  const entries = readdirSync(join(ROOT, 'examples'), { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  const projects = names.map((name) => ({ name, folder: copyProjectWithContract(name).folder }));
  const runInEach = async (runIn: (folder: string) => Promise<Outcome>) => {
    const outcomes: (Outcome & { readonly name: string })[] = [];
    for (const { name, folder } of projects) outcomes.push({ name, ...(await runIn(folder)) });
    return outcomes;
  };
  const each = (expected: Partial<Outcome>) => projects.map(({ name }) => ({ name, ...expected }));

  expect(await runInEach(generateHere)).toMatchObject(each({ code: 0, stderr: '' }));
  expect(await typecheck(projects.map(({ folder }) => folder))).toMatchObject({ code: 0, stdout: '' });
  const options = ['--runs', String(rounds(2, 30)), '--seed', '1', '--budget', '300'];
  const checked = await runInEach((folder) => runHere(checkCommand, options, folder, process.env));
  expect(checked).toMatchObject(each({ code: 0 }));
}, 600_000);

/** Type-checks several applications at once, which takes hardly longer than a single one. */
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
