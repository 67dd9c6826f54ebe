import { formatWorkflowCommand } from '@contract-first/command-line/reports';
import { nameOperations } from '../judgement/failures.ts';
import { listReasons } from './reasons.ts';
import type { CreateReport } from './run-report.ts';

/** Writes a GitHub workflow command for each finding at the end of the run. */
export const createGithub: CreateReport = (file, options) => ({
  observe: () => undefined,
  finish(result, problem) {
    const commands = listReasons(result, problem, options).map(({ operationIds, name, page, place, message }) =>
      formatWorkflowCommand(
        'error',
        { ...(place !== undefined && { file: place.file, line: place.line }), title: name },
        `${nameOperations(operationIds)}: ${message}${page === undefined ? '' : `\n${page}`}`,
      ),
    );
    file.write(commands.join(''));
  },
});
