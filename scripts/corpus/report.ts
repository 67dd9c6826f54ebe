import type { Trial } from './trial.ts';

/** Writes the results of a corpus as Markdown: how far its documents got, what it cost, and each failure with its reason. */
export function toMarkdown(trials: readonly Trial[], seed: string): string {
  const started = trials.filter(({ reached }) => reached === 'started');
  const share = ((100 * started.length) / trials.length).toFixed(1);
  const lines = [
    `Seed ${seed}: ${String(started.length)} of ${String(trials.length)} documents started (${share}%).`,
    '',
    '| cost | median | p95 | max |',
    '| --- | ---: | ---: | ---: |',
    row(
      'generate, ms',
      started.map(({ generateMs }) => generateMs),
    ),
    row(
      'generate, MB',
      started.map(({ generateMegabytes }) => generateMegabytes),
    ),
    row(
      'start in production, ms',
      started.map(({ startMs }) => startMs),
    ),
    row(
      'event loop held by a first request, ms',
      started.map(({ firstRequestMs }) => firstRequestMs),
    ),
    row(
      'operations',
      started.map(({ operations }) => operations),
    ),
    '',
  ];
  const failed = trials.filter(({ reached }) => reached !== 'started');
  return [...lines, ...failed.map(({ name, reached, reason = '' }) => `- ${name} (${reached}): ${reason}`)].join('\n');
}

function row(name: string, values: readonly (number | undefined)[]): string {
  const sorted = values.filter((value) => value !== undefined && !Number.isNaN(value)).sort((a = 0, b = 0) => a - b);
  const at = (share: number): string => String(Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? NaN));
  return `| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(1)} |`;
}
