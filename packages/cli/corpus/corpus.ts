import { join, resolve } from 'node:path';
import { writeFileSync } from 'node:fs';
import { draw } from './draw.ts';
import { toMarkdown } from './report.ts';
import { STEPS, tryDocument, type Trial } from './trial.ts';
import { inParallel } from '@contract-first/testing/jobs/in-parallel.ts';
import { orRefuse, parseOptions } from '@contract-first/testing/jobs/options.ts';
import { refuse, reportBugs } from '@contract-first/command-line/terminal';

// `npm run corpus -w packages/cli -- FOLDER` creates a service from each of many documents, step by step: init,
// typecheck, start, test, and contract checks against its mock.
const USAGE = `npm run corpus -w packages/cli -- FOLDER [--seed 1] [--count 200] [--until ${STEPS.join('|')}] [--json FILE]`;

// Fails here, rather than in a child process, if development dependencies are missing.
import.meta.resolve('typescript');
reportBugs();
const { folder, names, seed, last, json } = readArguments();
const trials: Trial[] = [];
await inParallel(names, async (name) => {
  const trial = await tryDocument(join(folder, name), name, last);
  trials.push(trial);
  const { step, reason } = trial.failed ?? { step: 'passed', reason: '' };
  console.error(`${String(trials.length)}/${String(names.length)} ${name}: ${step} ${reason}`.trimEnd());
});
if (json !== undefined) writeFileSync(json, JSON.stringify(trials, null, 2));
console.log(toMarkdown(trials, seed));

function readArguments() {
  const { positionals, values } = parseOptions(USAGE, {
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '200' },
      until: { type: 'string', default: 'contract' },
      json: { type: 'string' },
    },
  });
  const [path] = positionals;
  const last = STEPS.find((step) => step === values.until);
  if (path === undefined || last === undefined || !(Number(values.count) > 0)) return refuse(USAGE);
  const [folder, { seed, json }] = [resolve(path), values];
  return { folder, names: orRefuse(USAGE, () => draw(folder, seed, Number(values.count))), seed, last, json };
}
