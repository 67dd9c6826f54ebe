import { fileName, type Change } from '../change.ts';
import { summarize, type Report } from './report.ts';

/** Formats changes in columns, one line each, and a summary line. */
export const formatText: Report = (comparison) => {
  const { changes } = comparison;
  const ruleWidth = Math.max(0, ...changes.map(({ rule }) => rule.length));
  const operationWidth = Math.max(0, ...changes.map(({ operation = '-' }) => operation.length));
  const lines = changes.map((change) => {
    const { rule, level, operation = '-', message } = change;
    const columns = [level.padEnd(4), rule.padEnd(ruleWidth), operation.padEnd(operationWidth)];
    return `${columns.join('  ')}  ${message} (${placeOf(change)})\n`;
  });
  return `${lines.join('')}${summarize(comparison)}\n`;
};

/** `openapi.yaml:12 /paths/~1pets` */
function placeOf(change: Change): string {
  return `${fileName(change)}:${String(change.line)} ${change.pointer}`;
}
