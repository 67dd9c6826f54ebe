import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { printError, refuse, reportBugs } from '@contract-first/command-line/terminal';
import { createProject } from '../quoted-commands/project.ts';
import { seededOrder } from '../jobs/seeded-order.ts';
import { parseOptions } from '../jobs/options.ts';
import { mutantsOf, type Mutant } from './mutants.ts';

// `npm run mutation -w packages/testing -- FOLDER…` selects random mutants of the code in these folders. For each
// mutant, runs first the tests that have detected most mutants, then the tests of the changed file, in a fresh clone of
// the last commit. Prints undetected mutants, which indicate a missing test or unnecessary code.
const USAGE = 'npm run mutation -w packages/testing -- FOLDER… [--seed 1] [--count 100]';
const UNLIMITED = 0;
/** The number of test files to run first. */
const LIKELY = 4;

reportBugs();
const { folders, seed, count } = readArguments();
const project = createProject();
/** The number of detected mutants by test file. */
const noticedBy = new Map<string, number>();
const results: { readonly mutant: Mutant; readonly isNoticed: boolean }[] = [];
try {
  const shuffled = seededOrder(seed);
  const drawn = folders
    .flatMap(mutantsIn)
    .sort((one, other) => shuffled(nameOf(one), nameOf(other)))
    .slice(0, count);
  const startedAt = performance.now();
  const files = drawn.map(({ file }) => file);
  if (await passes(files, UNLIMITED)) {
    // Twice the time without a change, since a mutant may cause an endless loop.
    const limitSeconds = Math.ceil((2 * (performance.now() - startedAt)) / 1_000);
    for (const mutant of drawn) await attempt(mutant, limitSeconds);
  } else {
    printError('the tests of these folders fail without a change');
    process.exitCode = 1;
  }
} finally {
  await project.remove();
}
for (const [folder, ofFolder] of Map.groupBy(results, ({ mutant }) => dirname(mutant.file))) {
  const noticed = ofFolder.filter(({ isNoticed }) => isNoticed).length;
  console.log(`${folder}: ${String(noticed)} of ${String(ofFolder.length)} noticed`);
}

async function attempt(mutant: Mutant, limitSeconds: number): Promise<void> {
  const { file, text } = mutant;
  const path = join(project.folder, file);
  const before = readFileSync(path, 'utf8');
  writeFileSync(path, text);
  const isNoticed = !(await passes([file], limitSeconds));
  writeFileSync(path, before);
  results.push({ mutant, isNoticed });
  if (!isNoticed) console.log(nameOf(mutant));
}

function nameOf({ file, line, change }: Mutant): string {
  return `${file}:${String(line)} ${change}`;
}

function mutantsIn(folder: string): Mutant[] {
  const names = readdirSync(join(project.folder, folder)).filter((name) => name.endsWith('.ts'));
  return names.flatMap((name) => {
    const file = join(folder, name);
    return mutantsOf(file, readFileSync(join(project.folder, file), 'utf8'));
  });
}

/** Returns whether the tests that depend on the files pass in time. Runs the tests with most detected mutants first. */
async function passes(files: readonly string[], limitSeconds: number): Promise<boolean> {
  const likely = [...noticedBy].sort(([, one], [, other]) => other - one).slice(0, LIKELY);
  const related = ['unit', 'service'].map(
    (kind) => `--selectProjects ${kind} --passWithNoTests --findRelatedTests ${files.join(' ')}`,
  );
  for (const tests of likely.length === 0 ? related : [likely.map(([file]) => file).join(' '), ...related]) {
    const { code, output } = await project.run(
      `timeout --kill-after=5 ${String(limitSeconds)} npm test -- --bail=1 ${tests}`,
    );
    const [, file] = /^FAIL \w+ (\S+)/m.exec(output) ?? [];
    if (file !== undefined) noticedBy.set(file, (noticedBy.get(file) ?? 0) + 1);
    if (code !== 0) return false;
  }
  return true;
}

function readArguments() {
  const { positionals: folders, values } = parseOptions(USAGE, {
    options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '100' } },
  });
  const missing = folders.find((folder) => !existsSync(folder));
  if (missing !== undefined) return refuse(`${missing} does not exist`);
  if (folders.length === 0 || !(Number(values.count) > 0)) return refuse(USAGE);
  return { folders, seed: values.seed, count: Number(values.count) };
}
