import { escapeMarkdown, formatTable } from '../../reports/markdown.ts';
import { fileName } from '../change.ts';
import { summarize, type Report } from './report.ts';

/** Formats changes as a table for a comment, below a summary. */
export const formatMarkdown: Report = (comparison) => {
  const rows = comparison.changes.map((change) => [
    change.level,
    escapeMarkdown(change.operation ?? ''),
    escapeMarkdown(change.message),
    `\`${change.rule}\``,
    escapeMarkdown(`${fileName(change)}:${String(change.line)}`),
  ]);
  const table = rows.length === 0 ? '' : `\n${formatTable(['Level', 'Operation', 'Change', 'Rule', 'Place'], rows)}`;
  return `**${summarize(comparison)}**\n${table}`;
};
