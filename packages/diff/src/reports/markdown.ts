import { escapeMarkdown, formatTable, shorten } from '@contract-first/command-line/reports';
import { lineOf, formatOperations, summarizeChanges, type Report } from './report.ts';

/** Formats changes as a summary and a table, for a comment. */
export const formatMarkdown: Report = (comparison) => {
  const rows = comparison.changes.map((change) => {
    const { level, reference, findings } = change;
    const lines = findings.map(({ rule, message }) => `${escapeMarkdown(message)} (\`${rule}\`)`);
    const described = reference === undefined ? lines : [escapeMarkdown(reference), ...lines];
    return [
      level,
      shorten(described, 5).join('<br>'),
      escapeMarkdown(lineOf(change)),
      escapeMarkdown(formatOperations(change)),
    ];
  });
  const table = rows.length === 0 ? '' : `\n${formatTable(['Level', 'Change', 'Place', 'Operations'], rows)}`;
  return `**${summarizeChanges(comparison)}**\n${table}`;
};
