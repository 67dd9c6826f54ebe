import { escapeMarkdown } from '@contract-first/command-line/reports';
import type { Consequence } from '../change.ts';
import { formatOperations, type Report } from './report.ts';

/** Matches the rules about versions and the policy, which do not concern clients. */
const INTERNAL = /^(?:api-(?:major-)?version|ignore-entry)-/;
const PREFIXES = { ERR: '**Breaking.** ', WARN: '**May break.** ', INFO: '' } as const;

/** Formats changes as a Markdown changelog, grouped by affected operations, breaking changes first. */
export const formatChangelog: Report = ({ changes, versions: { base, revision } }) => {
  const title = base === revision ? `Changes of ${revision}` : `Changes from ${base} to ${revision}`;
  // Since changes are sorted by level, the groups with the most severe changes come first.
  const ofClients = changes.filter(({ findings }) => !findings.every(({ rule }) => INTERNAL.test(rule)));
  const sections = [...Map.groupBy(ofClients, ({ operations }) => operations.join())].map(([, found]) => {
    const items = found.flatMap(({ findings }) => findings.map((finding) => `- ${sentenceOf(finding)}\n`));
    const [operations = ''] = found.map(formatOperations);
    return `\n## ${escapeMarkdown(operations || 'The whole document')}\n\n${[...new Set(items)].join('')}`;
  });
  const content = sections.length === 0 ? '\nNothing changes for clients.\n' : sections.join('');
  return `# ${escapeMarkdown(title)}\n${content}`;
};

function sentenceOf({ level, message }: Consequence): string {
  return `${PREFIXES[level]}${escapeMarkdown(`${message.charAt(0).toUpperCase()}${message.slice(1)}`)}.`;
}
