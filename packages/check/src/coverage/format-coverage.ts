import { escapeToLine } from '@contract-first/contract';
import type { OperationCoverage, Tally } from './coverage.ts';

const COLUMNS = [
  ['statuses', 'statuses'],
  ['request types', 'requestTypes'],
  ['answer types', 'answerTypes'],
  ['parameters', 'parameters'],
  ['schema', 'schema'],
] as const satisfies readonly (readonly [title: string, aspect: keyof OperationCoverage])[];
const GAP = '  ';
const MAX_NAMES = 8;

/** Formats the coverage of operations as a table, followed by the names that were not seen. */
export function formatCoverage(operations: readonly OperationCoverage[]): string {
  const counts = operations.map((one) => [one.operation, ...COLUMNS.map(([, aspect]) => countOf([one[aspect]]))]);
  const total = ['all', ...COLUMNS.map(([, aspect]) => countOf(operations.map((one) => one[aspect])))];
  const missing = operations.flatMap((one) =>
    COLUMNS.flatMap(([title, aspect]) => {
      const { notSeen } = one[aspect];
      return notSeen.length === 0 ? [] : [[one.operation, title, listOf(notSeen)]];
    }),
  );
  return [
    ...aligned([
      ['coverage', ...COLUMNS.map(([title]) => title)],
      ...counts,
      ...(operations.length > 1 ? [total] : []),
    ]),
    ...(missing.length === 0 ? [] : ['', 'not seen:', ...aligned(missing)]),
  ].join('\n');
}

function countOf(tallies: readonly Tally[]): string {
  const seen = tallies.reduce((sum, tally) => sum + tally.seen.length, 0);
  const all = tallies.reduce((sum, tally) => sum + tally.notSeen.length, seen);
  return all === 0 ? '-' : `${String(seen)} of ${String(all)}`;
}

function listOf(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(', ');
  return names.length > MAX_NAMES ? `${shown} and ${String(names.length - MAX_NAMES)} more` : shown;
}

/** Formats rows with columns of equal width. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    escapeToLine(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(GAP)
        .trimEnd(),
    ),
  );
}
