import { formatWorkflowCommand } from '../../reports/workflow-command.ts';
import { fileName } from '../change.ts';
import { summarize, type Report } from './report.ts';

const COMMANDS = { ERR: 'error', WARN: 'warning', INFO: 'notice' } as const;

/** Formats changes as workflow commands of GitHub, which shows them beside the lines, and a summary line. */
export const formatGithub: Report = (comparison) => {
  const lines = comparison.changes.map((change) => {
    const { level, rule, operation, message, file, line, column, commit } = change;
    // GitHub knows the files of the checkout only, so the revision of another one is part of the text.
    const origin = commit === undefined ? '' : ` (${fileName(change)}:${String(line)})`;
    const text = `${operation === undefined ? '' : `${operation}: `}${message}${origin}`;
    return formatWorkflowCommand(COMMANDS[level], { file, line, col: column, title: rule }, text);
  });
  return `${lines.join('')}${summarize(comparison)}\n`;
};
