import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { toSvg } from './chart.ts';
import { divideCores } from './cores.ts';
import { compareGrowth } from './growth.ts';
import { toJson, toMarkdown } from './report.ts';
import type { Table } from './result.ts';
import type { Bench } from './servers.ts';
import { compareStarts } from './start.ts';
import { compareOnPostgres, compareOnSqlite, compareWithoutStore } from './under-load.ts';
import { installPackages } from '@contract-first/testing/install.ts';
import { parseOptions } from '@contract-first/testing/jobs/options.ts';
import { refuse, reportBugs } from '@contract-first/command-line/terminal';

// `npm run bench -w packages/engine` compares the service with other servers of the same contract and prints Markdown.
const MODES: Readonly<Record<string, (bench: Bench) => Promise<readonly Table[]>>> = {
  none: compareWithoutStore,
  sqlite: compareOnSqlite,
  postgres: compareOnPostgres,
  growth: compareGrowth,
  start: compareStarts,
};
const USAGE = `npm run bench -w packages/engine -- [${Object.keys(MODES).join(' | ')}]… [--rounds 5] [--seconds 2] [--shared] [--json FILE] [--svg FILE]`;

installPackages(fileURLToPath(new URL('fastify', import.meta.url)));
const stopReporting = reportBugs();
const { modes, rounds, seconds, isShared, json, svg } = readArguments();
stopReporting(); // A failed benchmark needs its stack trace.
const data = fileURLToPath(new URL('../../../data', import.meta.url));
mkdirSync(data, { recursive: true });
// Not in the temporary folder, which may be in memory, where commits cost nothing.
const folder = mkdtempSync(join(data, 'bench-'));
const logFolder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'bench-'));
process.once('exit', () => {
  for (const created of [folder, logFolder]) rmSync(created, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

const cores = isShared ? undefined : divideCores();
const bench = { folder, logFolder, cores, rounds, seconds };
const pinning =
  cores === undefined
    ? 'server and load share all cores'
    : `server on core ${cores.server}, load on core ${cores.load}`;
const machine = `${String(cpus().length)} × ${cpus()[0]?.model ?? 'unknown'}`;
const environment = { machine, platform: process.platform, node: process.version, pinned: pinning, rounds, seconds };
console.log(
  `Node ${process.version} on ${machine} (${process.platform}); ${pinning}. Medians of ${String(rounds)} rounds of ${String(seconds)} s.`,
);
const tables: Table[] = [];
for (const mode of modes) {
  const measured = await mode(bench);
  for (const table of measured) console.log(`\n${toMarkdown(table)}`);
  tables.push(...measured);
}
if (json !== undefined) writeFileSync(json, toJson(environment, tables));
if (svg !== undefined) writeFileSync(svg, toSvg(tables));

function readArguments() {
  const { positionals, values } = parseOptions(USAGE, {
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '2' },
      json: { type: 'string' },
      svg: { type: 'string' },
      shared: { type: 'boolean', default: false },
    },
  });
  return {
    modes: (positionals.length === 0 ? ['none', 'sqlite'] : positionals).map(
      (name) => MODES[name] ?? refuse(`unknown mode ${name}`, USAGE),
    ),
    rounds: readPositive('--rounds', values.rounds, 'integer'),
    seconds: readPositive('--seconds', values.seconds, 'number'),
    isShared: values.shared,
    json: values.json === undefined ? undefined : resolve(values.json),
    svg: values.svg === undefined ? undefined : resolve(values.svg),
  };
}

function readPositive(name: string, text: string, kind: 'number' | 'integer'): number {
  const value = Number(text);
  if (value > 0 && (kind === 'integer' ? Number.isInteger(value) : Number.isFinite(value))) return value;
  return refuse(`${name} must be a positive ${kind}, not ${text}`, USAGE);
}
