import { shorten } from '@contract-first/command-line/reports';
import type { Change } from '../change.ts';
import { pagesOf } from '../rules/families.ts';
import { lineOf, formatOperations, summarizeChanges, type Report } from './report.ts';

/** Formats each change as a block with its place, findings and operations, followed by a summary line. */
export const formatText: Report = (comparison) =>
  [
    ...comparison.changes.map(formatChange),
    ...pagesOf(comparison.changes).map((page) => `about the rules: ${page}\n`),
    `${summarizeChanges(comparison)}\n`,
  ].join('');

/** Formats a change as a block of lines. */
export function formatChange(change: Change): string {
  const { pointer, reference, findings, operations } = change;
  const ruleWidth = Math.max(...findings.map(({ rule }) => rule.length));
  const lines = findings.map(({ level, rule, message }) => `${level.padEnd(4)}  ${rule.padEnd(ruleWidth)}  ${message}`);
  const reach = operations.length > 3 ? `in ${String(operations.length)} operations: ` : 'in ';
  const block = [
    `${lineOf(change)} ${pointer}`,
    ...(reference === undefined ? [] : [`  ${reference}`]),
    ...shorten(lines, 10).map((line) => `  ${line}`),
    ...(operations.length === 0 ? [] : [`  ${reach}${formatOperations(change)}`]),
  ];
  // Replaces line feeds in names, since a new line could be a GitHub workflow command.
  return block.map((line) => `${line.replaceAll(/[\r\n]/g, ' ')}\n`).join('');
}
