import { exitWithoutOutput, print, printError, reportBugs } from './terminal/command.ts';
import { formatProblem, loadContract } from './openapi/load.ts';

// The last step of `npm run lint`: runs the Redocly linter on openapi.yaml. Warnings count as errors.
exitWithoutOutput();
reportBugs();
const { problems } = await loadContract('openapi.yaml', 'style');
for (const problem of problems) printError(formatProblem(problem));
print(`openapi.yaml: ${String(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}`);
process.exitCode = problems.length === 0 ? 0 : 1;
