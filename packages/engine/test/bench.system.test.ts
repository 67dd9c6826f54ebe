import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { ROOT, runProcess } from '@contract-first/testing/service.ts';

const SERVERS = ['service', 'node:http', 'fastify', 'fastify-openapi-glue', 'stock'];
const SHORT = ['--rounds', '1', '--seconds', '0.01'];

test('every server is verified, measured and reported as Markdown, JSON and SVG', async () => {
  const folder = temporaryFolder();
  const [json, svg] = [join(folder, 'bench.json'), join(folder, 'bench.svg')];
  const files = ['--json', json, '--svg', svg];
  const outcome = await runProcess(
    'npm',
    ['run', '--silent', 'bench', '-w', 'packages/engine', '--', 'none', 'sqlite', ...SHORT, ...files],
    {},
    ROOT,
  );
  expect(outcome.code === 0 ? '' : outcome.stderr).toBe('');

  const withStores = [
    'service, group commit',
    'fastify, by hand',
    'fastify, group commit',
    'fastify, autocommit',
    'stock, autocommit',
  ];
  const names = [...SERVERS, ...withStores];
  expect(outcome.stderr.match(/(?<=^verified: ).*$/gm)).toEqual(names);

  // One table for each number of connections: 64 and 1; with stores, also 256 and 8.
  const tablesWith = (name: string): number => (SERVERS.includes(name) ? 2 : 4);
  const rows = outcome.stdout.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.filter((row) => row.startsWith('| server ')).length).toBe(6);
  for (const name of names) {
    const found = rows.filter((row) => row.startsWith(`| ${name} |`));
    expect(found.length).toBe(tablesWith(name));
    for (const row of found) expect(row).toMatch(/^\| [^|]+ (?:\| (?:[\d.]+|–|[\d.]+ \/ [\d.]+ \/ [\d.]+) )+\|$/);
  }

  const report = JSON.parse(readFileSync(json, 'utf8')) as {
    rounds: number;
    results: readonly { servers: readonly { name: string; rounds: readonly object[] }[] }[];
  };
  expect(report.rounds).toBe(1);
  const measured = report.results.flatMap(({ servers }) => servers);
  expect(measured.map(({ name }) => name).sort()).toEqual(
    names.flatMap((name) => Array<string>(tablesWith(name)).fill(name)).sort(),
  );
  for (const { rounds } of measured) {
    expect(rounds).toEqual([
      expect.objectContaining({ requestsPerSecond: expect.any(Number), p50Ms: expect.any(Number) }),
    ]);
  }

  const picture = readFileSync(svg, 'utf8');
  expect(picture).toMatch(/^<svg [^]*<\/svg>\n$/);
  expect(picture.match(/<rect /g)).toHaveLength(names.length);
  expect(picture).not.toMatch(/NaN|undefined/);
});

test.each([
  [['nothing'], 'unknown mode nothing'],
  [['--rounds', '0'], '--rounds must be a positive integer, not 0'],
  [['--round', '1'], "Unknown option '--round'"],
])('the benchmark with %j reports the invalid argument', async (args, message) => {
  const { code, stderr } = await runProcess('node', ['packages/engine/bench/bench.ts', ...args], {}, ROOT);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
