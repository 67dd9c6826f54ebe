import { medianOf, METRICS, ratioOf, type Metric, type Table } from './result.ts';

/** Formats a table as Markdown: medians over the rounds, ratios as min / median / max. */
export function toMarkdown(table: Table): string {
  const metrics = metricsOf(table);
  const { ratio } = table;
  const heading = [
    'server',
    ...metrics.map((metric) => METRICS[metric].label),
    ...ratio.metrics.map((metric) => `${ratio.title}: ${METRICS[metric].label}`),
  ];
  const rows = table.rows.map((row) => [
    row.name,
    ...metrics.map((metric) => medianOf(row, metric)?.toFixed(METRICS[metric].digits) ?? '–'),
    ...ratio.metrics.map((metric) => {
      const found = ratioOf(table, row, metric);
      return found === undefined ? '–' : [found.min, found.median, found.max].map((n) => n.toFixed(2)).join(' / ');
    }),
  ]);
  const alignment = heading.map((_, column) => (column === 0 ? '---' : '---:'));
  return [`### ${table.title}`, '', ...[heading, alignment, ...rows].map((cells) => `| ${cells.join(' | ')} |`)].join(
    '\n',
  );
}

/** Formats tables as JSON with the results of every round. */
export function toJson(environment: object, tables: readonly Table[]): string {
  const results = tables.map((table) => ({
    title: table.title,
    ratio: table.ratio.title,
    servers: table.rows.map((row) => ({
      name: row.name,
      median: Object.fromEntries(metricsOf(table).map((metric) => [metric, medianOf(row, metric)])),
      ratios: Object.fromEntries(table.ratio.metrics.map((metric) => [metric, ratioOf(table, row, metric)])),
      rounds: row.rounds,
    })),
  }));
  return `${JSON.stringify({ ...environment, results }, null, 2)}\n`;
}

function metricsOf({ rows }: Table): readonly Metric[] {
  const measured = new Set(rows.flatMap(({ rounds }) => rounds.flatMap((round) => Object.keys(round))));
  return (Object.keys(METRICS) as Metric[]).filter((metric) => measured.has(metric)); // Object.keys returns strings.
}
