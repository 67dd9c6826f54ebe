import { medianOf, METRICS, type Metric, type Table } from './result.ts';

const WIDTH = 820;
const BARS_AT = 280;
const BARS_WIDTH = 460;
const LINE = 24;

// Browsers apply the colour scheme of the reader to embedded images.
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-weight: 600 }
  .bar { fill: #8c959f }
  .service { fill: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .bar { fill: #6e7681 }
    .service { fill: #3fb950 }
  }`;

/** Draws an SVG with a group of bars for each table that names a metric for the chart. */
export function toSvg(tables: readonly Table[]): string {
  let y = 0;
  const groups = tables.flatMap((table) => {
    if (table.chart === undefined) return [];
    const group = drawGroup(table, table.chart, y);
    y += (table.rows.length + 2) * LINE;
    return group;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${String(WIDTH)} ${String(y)}" role="img">
  <title>The service against its peers</title>
  <style>${STYLE}
  </style>
${groups.join('\n')}
</svg>
`;
}

function drawGroup({ title, rows }: Table, metric: Metric, top: number): readonly string[] {
  const { label, better, digits } = METRICS[metric];
  const values = rows.map((row) => medianOf(row, metric) ?? 0);
  const longest = Math.max(...values, Number.MIN_VALUE);
  const bars = rows.map(({ name }, index) => {
    const value = values[index] ?? 0;
    const width = Math.round((value / longest) * BARS_WIDTH);
    const y = top + (index + 1) * LINE;
    const baseline = String(y + 16);
    const kind = name.startsWith('service') ? 'bar service' : 'bar';
    return `  <text x="${String(BARS_AT - 8)}" y="${baseline}" text-anchor="end">${escape(name)}</text>
  <rect class="${kind}" x="${String(BARS_AT)}" y="${String(y + 3)}" width="${String(width)}" height="${String(LINE - 6)}" rx="2"/>
  <text x="${String(BARS_AT + width + 6)}" y="${baseline}">${value.toLocaleString('en', { maximumFractionDigits: digits })}</text>`;
  });
  const heading = escape(`${title}: ${label} (${better} is better)`);
  return [`  <text class="title" x="0" y="${String(top + 17)}">${heading}</text>`, ...bars];
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
