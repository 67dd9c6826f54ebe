import { fileName } from '../change.ts';
import type { Level } from '../finding.ts';
import { summarize, type Report } from './report.ts';

const COMMANDS: Readonly<Record<Level, string>> = { ERR: 'error', WARN: 'warning', INFO: 'notice' };

/** Formats changes as workflow commands of GitHub, which shows them beside the lines, and a summary line. */
export const formatGithub: Report = (comparison) => {
  const lines = comparison.changes.map((change) => {
    const { level, rule, operation, message, file, line, column, commit } = change;
    // GitHub knows the files of the checkout only, so the revision of another one is part of the text.
    const origin = commit === undefined ? '' : ` (${fileName(change)}:${String(line)})`;
    const properties = { file, line, col: column, title: rule };
    const list = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
    const text = `${operation === undefined ? '' : `${operation}: `}${message}${origin}`;
    return `::${COMMANDS[level]} ${list.join(',')}::${escapeText(text)}\n`;
  });
  return `${lines.join('')}${summarize(comparison)}\n`;
};

function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function escapeProperty(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
