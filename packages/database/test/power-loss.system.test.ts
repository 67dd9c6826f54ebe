import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { runProcess, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { until } from '@contract-first/testing/until.ts';
import { guestTables } from '@contract-first/testing/fixture/src/guests/guest-book.ts';
import { openForWriting, storeSchemaOf } from '../src/sqlite/open-file.ts';
import { WriteAheadLog } from '../src/sqlite/write-ahead-log.ts';
import { ModelFolder, Recorder, writeRemains, type Remains } from './support/power-loss.ts';

const NAMES = ['guests.db', 'guests.db-wal', 'guests.db-journal'];
const MAIN = ['node', 'src/main.ts'];
const POWER_LOSSES = rounds(30, 75);

/** Creates a generator of random numbers from 0 to 1 from a seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Starts the service. Retries while a sync at startup fails. */
async function startRecorded(
  recorder: Recorder,
  folder: string,
  failing: () => string | undefined,
): Promise<ServiceProcess> {
  const env = { DATABASE_URL: `sqlite:${join(folder, 'guests.db')}`, LOG_LEVEL: 'silent' };
  for (;;) {
    try {
      return await startServiceProcess(env, recorder.record(MAIN, NAMES, failing()));
    } catch (error) {
      if (!/cannot be (?:synced|read or written)/.test(String(error))) throw error;
    }
  }
}

/** Creates a guest. Returns the status; `undefined` without a response. */
async function create(service: ServiceProcess, tag: string, name = 'Anna'): Promise<number | undefined> {
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ id: Number(tag), name, tag });
  try {
    const response = await fetch(`${service.url}/guests`, { method: 'POST', headers, body });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return undefined;
  }
}

/** The acknowledgement times of guests, by tag. */
class Ledger extends Map<string, number> {
  #created = 0;
  #refused = (): void => undefined;

  /** Resolves when the next guest is rejected. */
  untilRefused(): Promise<void> {
    return new Promise((resolve) => (this.#refused = resolve));
  }

  /** Creates a guest and records its acknowledgement. */
  async create(service: ServiceProcess, name?: string): Promise<number | undefined> {
    const tag = String((this.#created += 1));
    const status = await create(service, tag, name);
    if (status === 200)
      this.set(tag, Date.now() + 1); // Rounded up.
    else this.#refused();
    return status;
  }

  /** Creates guests until the service has exited. */
  async createUntilKilled(service: ServiceProcess, random: () => number): Promise<void> {
    const length = (): number => (random() < 0.3 ? 60_000 * random() : 20 * random());
    while ((await this.create(service, 'x'.repeat(length()))) !== undefined);
  }
}

async function kill(service: ServiceProcess): Promise<void> {
  service.process.kill('SIGKILL');
  await service.outcome;
}

type Loss = { readonly lost: number; readonly damaged: number };

/** Simulates power losses at the end and before random calls, and counts the outcomes with lost data. */
async function losePower(recorder: Recorder, folder: string, ledger: Ledger, random: () => number): Promise<Loss> {
  const calls = await recorder.calls();
  const model = new ModelFolder(folder);
  const chosen = new Set(Array.from({ length: POWER_LOSSES }, () => Math.floor(random() * calls.length)));
  let [lost, damaged] = [0, 0];
  const losePowerAt = (time: number): void => {
    const written = [0, 0.5, 1][Math.floor(random() * 3)] ?? 0;
    const kept = readTags(model.losePower(() => random() < written));
    if (kept === undefined) damaged += 1;
    else if ([...ledger].some(([tag, acknowledgedAt]) => acknowledgedAt < time && !kept.has(tag))) lost += 1;
  };
  for (const [index, call] of calls.entries()) {
    if (chosen.has(index)) losePowerAt(call.at);
    model.apply(call);
  }
  losePowerAt(Infinity);
  return { lost, damaged };
}

/** Returns the tags of the guests in a database; `undefined` when it is damaged. */
function readTags(remains: Remains): ReadonlySet<string> | undefined {
  const folder = join(temporaryFolder(), 'remains');
  writeRemains(remains, folder);
  const database = new DatabaseSync(join(folder, 'guests.db'));
  try {
    const check = database.prepare('PRAGMA integrity_check(1)').get();
    if (check?.['integrity_check'] !== 'ok') return undefined;
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'guests'").get() === undefined;
    const rows = isEmpty ? [] : database.prepare("SELECT guest ->> '$.tag' AS tag FROM guests").all();
    return new Set(rows.map(({ tag }) => String(tag)));
  } catch {
    return undefined;
  } finally {
    database.close();
    rmSync(folder, { recursive: true });
  }
}

test('a power loss loses nothing acknowledged after a sync of the log failed and the service was killed and restarted', async () => {
  const folder = realpathSync(temporaryFolder());
  const recorder = new Recorder(folder, temporaryFolder());
  const ledger = new Ledger();
  const failing = await startRecorded(recorder, folder, () => '40+');
  while ((await ledger.create(failing)) === 200);
  await kill(failing);
  const next = await startRecorded(recorder, folder, () => undefined);
  for (let count = 0; count < 10; count += 1) expect(await ledger.create(next)).toBe(200);
  await kill(next);
  expect(await losePower(recorder, folder, ledger, createRandom(1))).toEqual({ lost: 0, damaged: 0 });
});

/** How often syncs of each thread fail: the numbers of syncs from one failure to the next. */
const RATES: readonly (readonly [string, readonly number[]])[] = [
  ['1%', [100]],
  ['10%', [10]],
  ['40%', [2, 3]],
];

test.each(rounds(RATES.slice(1, 2), RATES))(
  'a power loss loses nothing acknowledged when %s of the syncs fail and the service is killed and restarted',
  async (_rate, steps) => {
    for (let seed = 1; seed <= rounds(1, 20); seed += 1) {
      const random = createRandom(seed);
      const folder = realpathSync(temporaryFolder());
      const recorder = new Recorder(folder, temporaryFolder());
      const ledger = new Ledger();
      const failing = (): string => {
        const step = steps[Math.floor(random() * steps.length)] ?? 1;
        return `${String(1 + Math.floor(random() * step))}+${String(step)}`;
      };
      for (let round = 0; round < rounds(2, 4); round += 1) {
        const service = await startRecorded(recorder, folder, failing);
        const clients = Array.from({ length: 4 }, () => ledger.createUntilKilled(service, random));
        const reader = random() < 0.5 ? new DatabaseSync(join(folder, 'guests.db'), { readOnly: true }) : undefined;
        reader?.exec('BEGIN; SELECT 1 FROM guests'); // Prevents complete checkpoints.
        await sleep(random() * rounds(300, 1_200));
        reader?.close();
        await sleep(random() * rounds(300, 1_000));
        if (random() < 0.5) await Promise.race([ledger.untilRefused(), sleep(1_000)]);
        await kill(service);
        await Promise.all(clients);
      }
      expect({ seed, ...(await losePower(recorder, folder, ledger, random)) }).toEqual({ seed, lost: 0, damaged: 0 });
    }
  },
  rounds(120_000, 7_200_000),
);

/** Creates a database with guests in its log, and copies its files while it is open. Returns the folder of the copy. */
function makeLog(): string {
  const [folder, copy] = [temporaryFolder(), temporaryFolder()];
  const database = openForWriting(join(folder, 'guests.db'), storeSchemaOf(guestTables));
  for (let id = 0; id < 10; id += 1) database.prepare('INSERT INTO guests (id, guest) VALUES (?, ?)').run(id, '{}');
  execFileSync('cp', [...['guests.db', 'guests.db-wal'].map((name) => join(folder, name)), copy]);
  database.close();
  return realpathSync(copy);
}

test('a start that fails because of a failed sync does not change the log', async () => {
  const folder = makeLog();
  const log = readFileSync(join(folder, 'guests.db-wal'));
  const strace = ['strace', '-D', '-f', '-o', '/dev/null', '-P', folder, '-e', 'inject=fsync:error=EIO'];
  const [command = '', ...args] = [...strace, ...MAIN];
  const outcome = await runProcess(command, args, { PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'guests.db')}` });
  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be synced') });
  expect(readFileSync(join(folder, 'guests.db-wal')).equals(log)).toBe(true);
});

test('while syncs fail, 503 and /readyz is 503; when syncs succeed, the service recovers without a restart', async () => {
  const service = await startServiceProcess();
  expect(await create(service, '1')).toBe(200);
  const options = [
    '-f',
    '-p',
    String(service.process.pid),
    '-o',
    '/dev/null',
    '-e',
    'inject=fsync,fdatasync:error=EIO',
  ];
  const strace = spawn('strace', options);
  cleanUp(() => void strace.kill());
  await once(strace.stderr, 'data'); // strace has attached.
  const readiness = async (): Promise<number> => (await fetch(`${service.opsUrl}/readyz`)).status;
  for (let tag = 2; tag < 5; tag += 1) expect(await create(service, String(tag))).toBe(503);
  expect(await readiness()).toBe(503);
  strace.kill();
  await once(strace, 'close');
  await until(readiness, 200);
  expect(await create(service, '5')).toBe(200);
});

test.each([
  ['its process itself', 'rewrite'],
  ['another process before its next checkpoint, since the first one may have been killed', 'checkpoint'],
  ['another process before it closes the database', 'close'],
] as const)('database pages written by an incomplete checkpoint are rewritten by %s', (_who, how) => {
  const path = join(temporaryFolder(), 'guests.db');
  const database = openForWriting(path, storeSchemaOf(guestTables));
  const log = new WriteAheadLog(path, database, 0);
  const other = new WriteAheadLog(path, openForWriting(path, storeSchemaOf(guestTables)), 0);
  const reader = new DatabaseSync(path, { readOnly: true });
  const insert = database.prepare('INSERT INTO guests (id, guest) VALUES (?, ?)');
  const addGuests = (): void => {
    for (let id = 0; id < 50; id += 1) insert.run(id, 'x'.repeat(1_000));
  };
  addGuests();
  log.rewrite();
  other.rewrite();
  log.checkpoint();
  const onDisk = copyOf(path);
  addGuests();
  reader.exec('BEGIN; SELECT 1 FROM guests');
  addGuests();
  log.checkpoint();
  reader.exec('COMMIT');
  // Simulates pages that neither reached the disk nor remain in memory. Another process writes the file, since closing
  // it in this process would release SQLite's locks.
  truncateSync(onDisk, statSync(path).size);
  execFileSync('cp', [onDisk, path]);
  if (how === 'rewrite') log.rewrite();
  if (how === 'checkpoint') other.checkpoint();
  other.close();
  log.checkpoint();
  reader.close();
  log.close();
  const opened = new DatabaseSync(path);
  cleanUp(() => {
    opened.close();
  });
  expect(opened.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  expect(opened.prepare('SELECT count(*) AS count FROM guests').get()).toEqual({ count: 150 });
});

test('closing the database does not change a log that was not rewritten', () => {
  const folder = makeLog();
  const path = join(folder, 'guests.db');
  const log = readFileSync(`${path}-wal`);
  new WriteAheadLog(path, openForWriting(path, storeSchemaOf(guestTables)), 0).close();
  expect(readFileSync(`${path}-wal`).equals(log)).toBe(true);
});

function copyOf(path: string): string {
  const copy = join(temporaryFolder(), 'copy');
  execFileSync('cp', [path, copy]);
  return copy;
}
