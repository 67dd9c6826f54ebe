import { formatProblem, loadContract } from './contract/load.ts';

// `npm run lint` ends with this: the Redocly linter over the document, warnings counting as errors.
const { problems } = await loadContract('openapi.yaml', 'style');
for (const problem of problems) console.error(formatProblem(problem));
console.log(`openapi.yaml: ${String(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}`);
process.exitCode = problems.length === 0 ? 0 : 1;
