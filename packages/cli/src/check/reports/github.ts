import { formatWorkflowCommand } from '../../reports/workflow-command.ts';
import { listFindings } from './findings.ts';
import type { CreateReport } from './run-report.ts';

/** Writes a workflow command of GitHub for each finding, at the end of the run. */
export const createGithub: CreateReport = (file, options) => ({
  observe: () => undefined,
  finish(result, problem) {
    const commands = listFindings(result, problem, options).map(({ operationId, name, message }) =>
      formatWorkflowCommand('error', { title: name }, `${operationId}: ${message}`),
    );
    file.write(commands.join(''));
  },
});
