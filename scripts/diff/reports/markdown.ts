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

/** Formats a table with aligned columns. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, index) => Math.max(title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const format = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |\n`;
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(format).join('');
}

/** Escapes text so that Markdown shows it unchanged, in one line. */
export function escapeMarkdown(text: string): string {
  return text
    .replaceAll(/[\\`*_{}[\]<>|~#]/g, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll(/\s+/g, ' ');
}
