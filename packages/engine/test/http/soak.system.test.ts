import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHonestClients, createHostileClients, type Client } from './support/garden-clients.ts';
import { NODE_WITH_MEMORY_REPORT, usedBytes } from './support/memory.ts';
import { temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { EXAMPLES, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';

const SECONDS = rounds(5, 300);
const FIRST_BEDS = 20_000; // Enough to make an unread export larger than the kernel's buffers.
const CREATED_BEDS = 2_000; // Other beds are inserted directly, which takes a tenth of the CPU time.
const STREAM_LIMIT = 10;
const ENVIRONMENT = {
  LOG_LEVEL: 'warn',
  STREAM_LIMIT: String(STREAM_LIMIT),
  DATABASE_POOL_SIZE: '20',
  STREAM_STALL_TIMEOUT_MS: '1000',
  HEADERS_TIMEOUT_MS: '2000',
  REQUEST_TIMEOUT_MS: '4000',
  DATABASE_TIMEOUT_MS: '60000', // The database is slow on a busy machine.
};
/** How long a busy machine may take to close all connections. */
const CALM_MS = 60_000;

test(
  'among hostile clients, every acknowledged creation is stored once, no request gets 500, and nothing leaks',
  async () => {
    const folder = join(EXAMPLES, 'garden');
    const DATABASE_URL = temporaryDatabase();
    const command = [...NODE_WITH_MEMORY_REPORT, 'src/main.ts'];
    const service = await startServiceProcess({ ...ENVIRONMENT, DATABASE_URL }, command, folder);
    const honest = createHonestClients(service);
    const hostile = createHostileClients(service, STREAM_LIMIT);
    const serveAll = async (seconds: number) => {
      await runClients([...honest.clients, ...hostile.clients], seconds);
      honest.disconnect();
      await until(() => gauge(service, 'http_streams'), 0, CALM_MS); // The kept sockets are still open.
      hostile.disconnect();
      await until(() => gauge(service, 'http_connections'), 0, CALM_MS);
      const files = readdirSync(`/proc/${String(service.process.pid)}/fd`);
      return { bytes: await usedBytes(service), files: files.length };
    };
    insertBeds(DATABASE_URL, FIRST_BEDS - CREATED_BEDS);
    await Promise.all(Array.from({ length: 50 }, () => honest.createBeds(CREATED_BEDS / 50)));
    const before = await serveAll(rounds(3, 10));
    const after = await serveAll(SECONDS);
    expect(after.bytes - before.bytes).toBeLessThan(5_000_000);
    // SQLite keeps the files of closed connections open for reuse.
    expect(after.files - before.files).toBeLessThanOrEqual(STREAM_LIMIT);

    await honest.createBeds(1);
    expect(await honest.readExport()).toBe('complete');
    const metrics = await readMetrics(service);
    expect(metrics).not.toMatch(/^http_requests_total\{.*status="500"/m);
    expect(metrics).toMatch(/^http_responses_incomplete_total\{operation="exportBeds"\} [1-9]/m);

    service.process.kill('SIGTERM');
    const { code, stdout, stderr } = await service.outcome;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toMatch(/"level":[56]0/);
  },
  240_000 + SECONDS * 1_000,
);

/** Inserts beds, each with a different crop. */
function insertBeds(url: string, count: number): void {
  const database = new DatabaseSync(url.replace('sqlite:', ''));
  database.exec(`
    BEGIN IMMEDIATE;
    WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${String(count)})
      INSERT INTO beds (crop, metres, version) SELECT n || '${'🌱'.repeat(90)}', 1, 1 FROM numbers;
    COMMIT`);
  database.close();
}

/** Runs clients repeatedly and concurrently. */
async function runClients(clients: readonly Client[], seconds: number): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        await client();
        await sleep(randomInt(20));
      }
    }),
  );
}

async function readMetrics({ opsUrl }: ServiceProcess): Promise<string> {
  return (await fetch(`${opsUrl}/metrics`)).text();
}

async function gauge(service: ServiceProcess, name: string): Promise<number> {
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await readMetrics(service))?.[1]);
}
