import { createConfig, formatProblems, lint } from '@redocly/openapi-core';
import { exitWithoutOutput } from './output.ts';

// The last step of `npm run lint`: runs the Redocly linter on openapi.yaml. Warnings count as errors.
exitWithoutOutput();
const rules = {
  struct: 'error',
  'path-not-include-query': 'error',
  'operation-operationId': 'error',
  'no-ambiguous-paths': 'error',
  'no-identical-paths': 'error',
  'security-defined': 'error',
  'no-undefined-server-variable': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-enum-type-mismatch': 'error',
  'info-license': 'warn',
  'operation-4xx-response': 'warn',
  'operation-summary': 'warn',
  'operation-description': 'warn',
  'operation-tag-defined': 'warn',
  'tag-description': 'warn',
  'parameter-description': 'warn',
  'no-server-example.com': 'warn',
  'no-unused-components': 'warn',
  'no-empty-servers': 'warn',
  'no-required-schema-properties-undefined': 'warn',
} as const;
const problems = await lint({ ref: 'openapi.yaml', config: await createConfig({ rules }) });
const totals = { errors: problems.length, warnings: 0, ignored: 0 };
if (problems.length > 0) formatProblems(problems, { format: 'stylish', totals, version: '' });
console.log(`openapi.yaml: ${String(problems.length)} ${problems.length === 1 ? 'problem' : 'problems'}`);
process.exitCode = problems.length === 0 ? 0 : 1;
