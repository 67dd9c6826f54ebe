import { formatDiagnostic, loadContract } from '@contract-first/documents';
import { exitWithoutOutput } from './output.ts';

// The last step of `npm run lint`: runs the Redocly linter on openapi.yaml. Warnings count as errors.
exitWithoutOutput();
const { diagnostics: problems } = await loadContract('openapi.yaml', 'style');
for (const problem of problems) console.error(formatDiagnostic(problem));
console.log(`openapi.yaml: ${String(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}`);
process.exitCode = problems.length === 0 ? 0 : 1;
