import type { Costs, Trial } from './trial.ts';

const ROWS: readonly (readonly [string, keyof Costs])[] = [
  ['init, ms', 'initMs'],
  ['init, MB', 'initMegabytes'],
  ['generate again, ms', 'generateMs'],
  ['generate again, MB', 'generateMegabytes'],
  ['start in production, ms', 'startMs'],
  ['event loop held by a first request, ms of CPU', 'firstRequestMs'],
  ['npm test, ms', 'testMs'],
  ['operations', 'operations'],
];

/**
 * Formats the results of a corpus as Markdown: the share of passed documents, the costs, and each failure with its
 * reason.
 */
export function toMarkdown(trials: readonly Trial[], seed: string): string {
  const passed = trials.filter(({ failed }) => failed === undefined).length;
  const share = ((100 * passed) / trials.length).toFixed(1);
  return [
    `Seed ${seed}: ${String(passed)} of ${String(trials.length)} documents passed (${share}%).`,
    '',
    '| cost | median | p95 | max |',
    '| --- | ---: | ---: | ---: |',
    ...ROWS.map(([title, cost]) =>
      row(
        title,
        trials.map(({ costs }) => costs[cost]),
      ),
    ),
    '',
    ...trials.flatMap(({ name, failed }) =>
      failed === undefined ? [] : `- ${name} (${failed.step}): ${failed.reason}`,
    ),
  ].join('\n');
}

function row(title: string, values: readonly (number | undefined)[]): string {
  const sorted = values.filter((value) => value !== undefined && !Number.isNaN(value)).sort((a = 0, b = 0) => a - b);
  const at = (share: number): string => String(Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN));
  return `| ${title} | ${at(0.5)} | ${at(0.95)} | ${at(1)} |`;
}
