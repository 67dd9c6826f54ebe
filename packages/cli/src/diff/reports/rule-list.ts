import { formatTable } from '../../reports/markdown.ts';
import { ASPECTS, levelsOf } from '../aspects.ts';
import type { Level } from '../finding.ts';
import type { Rule } from '../rules.ts';

/** Formats every rule as a line: name, levels, meaning, and the difference from oasdiff. */
export function formatRuleList(rules: Iterable<Rule>): string {
  const all = [...rules];
  const nameWidth = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ levels, name, meaning, difference }) => {
    const note = difference === undefined ? '' : ` (${difference.there} in oasdiff: ${difference.reason})`;
    return `${name.padEnd(nameWidth)}  ${formatLevels(levels).padEnd('WARN, INFO'.length)}  ${meaning}${note}\n`;
  });
  return lines.join('');
}

/**
 * Formats the rules as tables of Markdown: those about schemas, with one line for all the subjects of a change, the other
 * ones, and the differences from oasdiff.
 */
export function formatRuleTables(rules: Iterable<Rule>): string {
  const all = [...rules];
  const names = new Set(ASPECTS.flatMap(({ aspect, subjects }) => subjects.map((subject) => `${subject}-${aspect}`)));
  const ofSchemas = ASPECTS.map((aspect) => [
    `\`${aspect.aspect}\``,
    formatLevels(levelsOf(aspect, 'request')),
    formatLevels(levelsOf(aspect, 'response')),
    aspect.meaning,
  ]);
  const others = all
    .filter(({ name }) => !names.has(name))
    .map(({ name, levels, meaning }) => [`\`${name}\``, formatLevels(levels), meaning]);
  const different = all.flatMap(({ name, levels, difference }) =>
    difference ? [[`\`${name}\``, formatLevels(levels), difference.there, difference.reason]] : [],
  );
  return [
    formatTable(['Change of a schema', 'Requests', 'Responses', 'Meaning'], ofSchemas),
    formatTable(['Other rule', 'Level', 'Meaning'], others),
    formatTable(['Rule', 'Here', 'oasdiff', 'Reason'], different),
  ].join('\n');
}

function formatLevels(levels: readonly Level[]): string {
  return levels.length === 0 ? '-' : levels.join(', ');
}
