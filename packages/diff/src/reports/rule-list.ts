import type { Rule } from '../rules.ts';

/** Formats every rule as a line: name, levels, meaning, and the difference from oasdiff. */
export function formatRuleList(rules: Iterable<Rule>): string {
  const all = [...rules];
  const nameWidth = Math.max(...all.map(({ name }) => name.length));
  const lines = all.map(({ levels, name, meaning, difference }) => {
    const note = difference === undefined ? '' : ` (${difference.there} in oasdiff: ${difference.reason})`;
    return `${name.padEnd(nameWidth)}  ${levels.join(', ').padEnd('WARN, INFO'.length)}  ${meaning}${note}\n`;
  });
  return lines.join('');
}
