import { formatWorkflowCommand, shorten } from '@contract-first/command-line/reports';
import type { Change } from '../change.ts';
import { pagesOf } from '../rules/families.ts';
import { lineOf, formatOperations, summarizeChanges, type Report } from './report.ts';
import { formatChange } from './text.ts';

const COMMANDS = { ERR: 'error', WARN: 'warning', INFO: 'notice' } as const;
/** GitHub's maximum number of annotations per step. */
const MAX_ANNOTATIONS = 10;

/** Formats the most severe changes as GitHub workflow commands, which annotate the lines, and other changes as text. */
export const formatGithub: Report = (comparison) => {
  const annotated = comparison.changes.slice(0, MAX_ANNOTATIONS).map(formatAnnotation);
  const others = comparison.changes.slice(MAX_ANNOTATIONS).map(formatChange);
  return `${[...annotated, ...others].join('')}${summarizeChanges(comparison)}\n`;
};

function formatAnnotation(change: Change): string {
  const { level, reference, findings, file, line, column, commit } = change;
  const messages = findings.map(({ message }) => message);
  const operations = formatOperations(change);
  const text = [
    operations === '' ? '' : `${operations}: `,
    shorten(reference === undefined ? messages : [reference, ...messages], 5).join('\n'),
    // GitHub annotates only files of the checkout, so the text contains the place in another revision.
    commit === undefined ? '' : ` (${lineOf(change)})`,
    ...pagesOf([change]).map((page) => `\n${page}`),
  ].join('');
  const title = [...new Set(findings.map(({ rule }) => rule))][0] ?? '';
  return formatWorkflowCommand(COMMANDS[level], { file, line, col: column, title }, text);
}
