import { joinFirst } from '@contract-first/command-line/reports';
import { fileName, type Change } from '../change.ts';
import type { ComparisonResult } from '../compare-sources.ts';
import { LEVEL_ORDER, type Level } from '../rules/finding.ts';

/** The input of a report. */
export type Comparison = ComparisonResult & {
  /** Returns whether a level makes the command fail. */
  readonly fails: (level: Level) => boolean;
};

/** Formats a comparison as text with a trailing line feed. */
export type Report = (comparison: Comparison) => string;

const NAMES: Readonly<Record<Level, string>> = { ERR: 'error', WARN: 'warning', INFO: 'note' };

/** Returns `2 errors, 1 warning, 0 notes in 12 operations`, with `, 3 ignored` if changes were ignored. */
export function summarizeChanges({ changes, ignored }: Comparison): string {
  const counts = LEVEL_ORDER.map((level) =>
    count(changes.filter((change) => change.level === level).length, NAMES[level]),
  );
  const operations = new Set(changes.flatMap((change) => change.operations));
  const reach = operations.size === 0 ? '' : ` in ${count(operations.size, 'operation')}`;
  return `${counts.join(', ')}${reach}${ignored === 0 ? '' : `, ${String(ignored)} ignored`}`;
}

/** Returns the file and line of a change: `openapi.yaml:12`. */
export function lineOf(change: Change): string {
  return `${fileName(change)}:${String(change.line)}`;
}

/** Returns `GET /a, GET /b, GET /c and 35 more`; empty for the whole document. */
export function formatOperations({ operations }: Change): string {
  return joinFirst(operations, 3);
}

function count(number: number, noun: string): string {
  return `${String(number)} ${noun}${number === 1 ? '' : 's'}`;
}
