import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { generateHere, runHere } from '@contract-first/testing/command.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { APPLICATIONS, EXAMPLES, FIXTURE, type Outcome } from '@contract-first/testing/service.ts';
import { checkCommand } from '@contract-first/check/command';

const applications = [
  FIXTURE,
  ...[APPLICATIONS, EXAMPLES].flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(folder, name)),
  ),
];

test('the generated files of each application are current, and its service agrees with its document', async () => {
  const runInEach = async (runIn: (folder: string) => Promise<Outcome>) => {
    const outcomes: (Outcome & { readonly folder: string })[] = [];
    for (const folder of applications) outcomes.push({ folder, ...(await runIn(folder)) });
    return outcomes;
  };
  const each = (expected: Partial<Outcome>) => applications.map((folder) => ({ folder, ...expected }));

  const generated = await runInEach((folder) => generateHere(folder, '--check'));
  expect(generated).toMatchObject(each({ code: 0, stderr: '' }));
  const options = ['--runs', String(rounds(2, 30)), '--seed', '1', '--budget', '300'];
  const env = { ...process.env, FILES_FOLDER: temporaryFolder() };
  const checked = await runInEach((folder) => runHere(checkCommand, options, folder, env));
  expect(checked).toMatchObject(each({ code: 0 }));
}, 600_000);
