import { escapeMarkdown } from '../../reports/markdown.ts';
import type { Change } from '../change.ts';
import type { Report } from './report.ts';

/** The rules about the comparison itself. */
const INTERNAL = /^(?:api-(?:major-)?version|ignore-entry)-/;
const PREFIXES = { ERR: '**Breaking.** ', WARN: '**May break.** ', INFO: '' } as const;

/** Formats changes as Markdown for the readers of a release, by operation, breaking ones first. */
export const formatChangelog: Report = ({ changes, versions: { base, revision } }) => {
  const title = base === revision ? `Changes of ${revision}` : `Changes from ${base} to ${revision}`;
  // Changes are sorted, so the operation with the most severe one comes first.
  const ofClients = changes.filter(({ rule }) => !INTERNAL.test(rule));
  const sections = [...Map.groupBy(ofClients, ({ operation }) => operation)].map(([operation, found]) => {
    const items = found.map((change) => `- ${PREFIXES[change.level]}${escapeMarkdown(sentenceOf(change))}\n`);
    return `\n## ${escapeMarkdown(operation ?? 'The whole document')}\n\n${[...new Set(items)].join('')}`;
  });
  const content = sections.length === 0 ? '\nNothing changes for clients.\n' : sections.join('');
  return `# ${escapeMarkdown(title)}\n${content}`;
};

/** Returns the message as a sentence. Messages about an operation have no subject. */
function sentenceOf({ message }: Change): string {
  const text = /^(?:was|is) /.test(message) ? `the operation ${message}` : message;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
