import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createProject } from './documents/project.ts';
import { mutantsOf, type Mutant } from './mutation/mutants.ts';
import { refuse, reportBugs } from './terminal/command.ts';

// `npm run mutation -- [FOLDER …]` draws changes of the code, and runs the tests of each changed file, in a fresh clone of the
// last commit. Prints the changes that no test notices: a missing test, or code that can be deleted.
const USAGE = 'npm run mutation -- [src/engine/contract src/plants …] [--seed 1] [--count 100]';
// Twice as long as all tests take. A change may also lead to an endless loop.
const LIMIT_SECONDS = 120;

reportBugs();
const { folders, seed, count } = readArguments();
const project = createProject();
const results: { readonly mutant: Mutant; readonly isNoticed: boolean }[] = [];
try {
  for (const mutant of folders.flatMap(mutantsIn).sort(byRank).slice(0, count)) {
    const { file, line, change, text } = mutant;
    const path = join(project.folder, file);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, text);
    const { code } = await project.run(
      `timeout --kill-after=5 ${String(LIMIT_SECONDS)} npm test -- --bail --findRelatedTests ${file}`,
    );
    writeFileSync(path, before);
    results.push({ mutant, isNoticed: code !== 0 });
    if (code === 0) console.log(`${file}:${String(line)} ${change}`);
  }
} finally {
  await project.remove();
}
for (const [folder, ofFolder] of Map.groupBy(results, ({ mutant }) => dirname(mutant.file))) {
  const noticed = ofFolder.filter(({ isNoticed }) => isNoticed).length;
  console.log(`${folder}: ${String(noticed)} of ${String(ofFolder.length)} noticed`);
}

function mutantsIn(folder: string): Mutant[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  return files.flatMap((name) => mutantsOf(join(folder, name), readFileSync(join(folder, name), 'utf8')));
}

/** Orders by a digest: the same sample for the same seed, and most of it also after a change. */
function byRank(one: Mutant, other: Mutant): number {
  const rank = ({ file, line, change }: Mutant): string =>
    createHash('sha256')
      .update(`${seed} ${file} ${String(line)} ${change}`)
      .digest('hex');
  return rank(one) < rank(other) ? -1 : 1;
}

function readArguments() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '100' } },
    });
    if (!(Number(values.count) > 0)) return refuse(USAGE);
    const folders = positionals.length > 0 ? positionals : ['src/engine/contract', 'src/plants'];
    return { folders, seed: values.seed, count: Number(values.count) };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
