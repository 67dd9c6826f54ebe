import { formatWorkflowCommand } from '@contract-first/command-line/reports';
import { nameOperations } from '../judgement/failures.ts';
import { listReasons } from './reasons.ts';
import type { CreateReport } from './run-report.ts';

/** Writes a GitHub workflow command for each finding at the end of the run. */
export const createGithub: CreateReport = (file, options) => ({
  observe: () => undefined,
  finish(result, problem) {
    const commands = listReasons(result, problem, options).map(({ operationIds, name, message }) =>
      formatWorkflowCommand('error', { title: name }, `${nameOperations(operationIds)}: ${message}`),
    );
    file.write(commands.join(''));
  },
});
