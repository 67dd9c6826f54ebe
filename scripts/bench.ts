import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure, type Measured } from './bench/load.ts';

// `npm run bench` measures durable creation over HTTP, group commit against one commit for each request, in turns, and
// writes a Markdown table. DATABASE_URL says on which database; by default a new file in the folder for temporary files.
const CONNECTIONS = [1, 8, 64, 256];
const ROUNDS = 5;
const ROUND_MS = 2_000;
const WARM_UP_MS = 1_000;

const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
const url = process.env['DATABASE_URL'] ?? `sqlite:${join(folder, 'plants.db')}`;
const server = fork(fileURLToPath(new URL('bench/store-server.ts', import.meta.url)), {
  env: { ...process.env, DATABASE_URL: url },
});
try {
  const urls = await Promise.race([
    once(server, 'message').then(([message]) => message as readonly [string, string]),
    once(server, 'exit').then(() => Promise.reject(new Error('the server has not started'))),
  ]);
  console.log(
    `| connections | group commit /s | p50 ms | p99 ms | autocommit /s | p50 ms | p99 ms | ratio min/median/max |`,
  );
  console.log(`| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`);
  for (const connections of CONNECTIONS) console.log(await compare(urls, connections));
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}

async function compare([group, single]: readonly [string, string], connections: number): Promise<string> {
  for (const target of [group, single]) await measure(target, createRequest, { connections, durationMs: WARM_UP_MS });
  const rounds: { readonly group: Measured; readonly single: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const load = { connections, durationMs: ROUND_MS };
    rounds.push({
      group: await measure(group, createRequest, load),
      single: await measure(single, createRequest, load),
    });
  }
  const ratios = rounds.map((round) => round.group.perSecond / round.single.perSecond).sort((a, b) => a - b);
  const columns = [rounds.map((round) => round.group), rounds.map((round) => round.single)].flatMap((all) => [
    median(all.map(({ perSecond }) => perSecond)).toFixed(0),
    median(all.map(({ p50Ms }) => p50Ms)).toFixed(2),
    median(all.map(({ p99Ms }) => p99Ms)).toFixed(2),
  ]);
  const ratio = [ratios[0], median(ratios), ratios.at(-1)].map((value) => value?.toFixed(2)).join(' / ');
  return `| ${[connections, ...columns, ratio].join(' | ')} |`;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

function createRequest(n: number): string {
  const body = `{"id":${String(n)},"name":"Fern","tag":"indoor"}`;
  const headers = `Host: x\r\nAuthorization: Bearer bench\r\nContent-Type: application/json\r\nContent-Length: ${String(body.length)}`;
  return `POST /plants HTTP/1.1\r\n${headers}\r\n\r\n${body}`;
}
