import type { Finding, Level } from './finding.ts';

const NAMES: Readonly<Record<Level, string>> = { ERR: 'error', WARN: 'warning', INFO: 'note' };

/**
 * Formats findings in columns, one line each, and a summary line.
 *
 * @param paint adds the colour of a level to a word, or returns it unchanged
 */
export function formatFindings(findings: readonly Finding[], paint: (word: string, level: Level) => string): string {
  const ruleWidth = Math.max(0, ...findings.map(({ rule }) => rule.length));
  const operationWidth = Math.max(0, ...findings.map(({ operation = '-' }) => operation.length));
  const lines = findings.map(({ rule, level, pointer, operation = '-', message }) => {
    const columns = [paint(level.padEnd(4), level), rule.padEnd(ruleWidth), operation.padEnd(operationWidth)];
    return `${columns.join('  ')}  ${message} (${pointer})\n`;
  });
  return `${lines.join('')}${summarize(findings)}\n`;
}

/** `2 errors, 1 warning, 0 notes` */
function summarize(findings: readonly Finding[]): string {
  const levels: readonly Level[] = ['ERR', 'WARN', 'INFO'];
  return levels
    .map((level) => {
      const count = findings.filter((finding) => finding.level === level).length;
      return `${String(count)} ${NAMES[level]}${count === 1 ? '' : 's'}`;
    })
    .join(', ');
}
