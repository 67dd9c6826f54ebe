import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { renderContract } from './contract/render.ts';
import { formatProblem, hasErrors } from './contract/load.ts';

// `npm run generate` writes generated/ from openapi.yaml; with `--check` it only tells which files are stale.
const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const { files, problems } = await renderContract('openapi.yaml');
for (const problem of problems) console.error(formatProblem(problem));

if (files === undefined || hasErrors(problems)) {
  console.error('openapi.yaml was refused; generated/ is as it was');
  process.exitCode = 1;
} else {
  const stale = [];
  for (const [name, text] of Object.entries(files)) {
    if ((await readFile(`generated/${name}`, 'utf8').catch(() => undefined)) !== text)
      stale.push([name, text] as const);
  }
  if (values.check) {
    for (const [name] of stale) console.error(`generated/${name} is stale: run npm run generate`);
    process.exitCode = stale.length === 0 ? 0 : 1;
  } else {
    await mkdir('generated', { recursive: true });
    for (const [name, text] of stale) {
      await writeFile(`generated/${name}.new`, text);
      await rename(`generated/${name}.new`, `generated/${name}`);
      console.log(`generated/${name}`);
    }
  }
  if (stale.length === 0) console.log('generated/ is up to date');
}
