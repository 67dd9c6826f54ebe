import { fileName, type Change } from '../change.ts';
import type { Level } from '../finding.ts';
import { summarize, type Comparison } from './report.ts';

/**
 * Formats changes in columns, one line each, and a summary line.
 *
 * @param paint adds the colour of a level to a word, or returns it unchanged
 */
export function formatText(comparison: Comparison, paint: (word: string, level: Level) => string): string {
  const { changes } = comparison;
  const ruleWidth = Math.max(0, ...changes.map(({ rule }) => rule.length));
  const operationWidth = Math.max(0, ...changes.map(({ operation = '-' }) => operation.length));
  const lines = changes.map((change) => {
    const { rule, level, operation = '-', message } = change;
    const columns = [paint(level.padEnd(4), level), rule.padEnd(ruleWidth), operation.padEnd(operationWidth)];
    return `${columns.join('  ')}  ${message} (${placeOf(change)})\n`;
  });
  return `${lines.join('')}${summarize(comparison)}\n`;
}

/** `openapi.yaml:12 /paths/~1pets` */
function placeOf(change: Change): string {
  return `${fileName(change)}:${String(change.line)} ${change.pointer}`;
}
