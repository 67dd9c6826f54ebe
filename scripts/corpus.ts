import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { draw } from './corpus/draw.ts';
import { toMarkdown } from './corpus/report.ts';
import { tryDocument, type Trial } from './corpus/trial.ts';
import { refuse } from './command.ts';

// `npm run corpus -- FOLDER` tries real documents: generates, scaffolds, type-checks and starts a service for each.
const USAGE = 'npm run corpus -- FOLDER [--seed 1] [--count 200] [--json FILE]';

const { folder, seed, count, json } = readArguments();
const names = draw(folder, seed, count);
const trials: Trial[] = [];
let next = 0;
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let name = names[next]; name !== undefined; name = names[next]) {
      next += 1;
      const trial = await tryDocument(join(folder, name), name);
      trials.push(trial);
      console.error(`${String(trials.length)}/${String(names.length)} ${name}: ${trial.reached}`);
    }
  }),
);
if (json !== undefined) writeFileSync(json, JSON.stringify(trials, null, 2));
console.log(toMarkdown(trials, seed));

function readArguments() {
  try {
    const { positionals, values } = parseArgs({
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: '1' },
        count: { type: 'string', default: '200' },
        json: { type: 'string' },
      },
    });
    const [path] = positionals;
    if (path === undefined || !(Number(values.count) > 0)) return refuse('name a folder of documents', USAGE);
    return { folder: path, seed: values.seed, count: Number(values.count), json: values.json };
  } catch (error) {
    return refuse((error as Error).message, USAGE);
  }
}
