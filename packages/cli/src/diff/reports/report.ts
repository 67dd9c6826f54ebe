import type { Compared } from '../compare-sources.ts';
import { LEVEL_ORDER, type Level } from '../finding.ts';

/** A finished comparison. */
export type Comparison = Compared & {
  /** Whether a level makes the command fail. */
  readonly fails: (level: Level) => boolean;
};

/** Formats a comparison as lines, with a line feed at the end. */
export type Report = (comparison: Comparison) => string;

const NAMES: Readonly<Record<Level, string>> = { ERR: 'error', WARN: 'warning', INFO: 'note' };

/** `2 errors, 1 warning, 0 notes`, and `, 3 ignored` when there are ignored findings. */
export function summarize({ changes, ignored }: Comparison): string {
  const counts = LEVEL_ORDER.map((level) => {
    const count = changes.filter((change) => change.level === level).length;
    return `${String(count)} ${NAMES[level]}${count === 1 ? '' : 's'}`;
  });
  return [...counts, ...(ignored === 0 ? [] : [`${String(ignored)} ignored`])].join(', ');
}
