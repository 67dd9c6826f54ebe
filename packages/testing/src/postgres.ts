import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asServerUser, freePort, nobodyId, isRoot, PASSWORD, USER } from './postgres-programs.ts';
import type { Certificates } from './certificates.ts';
import { becomesReady, optionsOf, serverAt, type PostgresServer } from './postgres-server.ts';

/** A PostgreSQL server of one test file, which may stop the server. */
export type Postgres = PostgresServer & {
  readonly dataFolder: string;
  /** Stops the server; SIGKILL simulates a crash. */
  readonly kill: (signal: NodeJS.Signals) => Promise<void>;
  /** Restarts the server on the same port. */
  readonly start: () => Promise<void>;
  /** Stops the server and removes its data. */
  readonly stop: () => Promise<void>;
};

export type PostgresOptions = {
  /** With certificates, the server requires TLS, except for the database `postgres`. */
  readonly tls?: Certificates;
  /** Lines of postgresql.conf. */
  readonly settings?: Readonly<Record<string, string>>;
};

/**
 * Starts a server for tests that stop it or change its settings. Runs until `stop`, which should be passed to
 * `cleanUp`.
 */
export async function startPostgres({ tls, settings = {} }: PostgresOptions = {}): Promise<Postgres> {
  const { folder, dataFolder } = createServerFolder();
  return startOn({ folder, dataFolder, settings: { ...settings, ...(tls && tlsSettings(folder, tls)) } });
}

/** Starts a primary and a synchronous standby. */
export async function startPostgresPair(): Promise<{
  primary: Postgres;
  standby: Postgres;
  promote: () => Promise<void>;
}> {
  const { folder, dataFolder } = createServerFolder();
  const standbyFolder = join(folder, 'standby');
  execFileSync('cp', ['-a', dataFolder, standbyFolder]);
  writeFileSync(join(standbyFolder, 'standby.signal'), '');

  const primary = await startOn({
    folder,
    dataFolder,
    settings: { synchronous_standby_names: 'standby', synchronous_commit: 'remote_apply' },
  });
  const login = `host=127.0.0.1 port=${String(primary.port)} user=${USER} password='${PASSWORD}'`;
  const standby = await startOn({
    folder,
    dataFolder: standbyFolder,
    settings: { primary_conninfo: `${login} application_name=standby` },
  });
  return {
    primary,
    standby,
    promote: async () => {
      await standby.query(standby.url(), 'SELECT pg_promote()');
    },
  };
}

/** Creates the folder of a server. Copies the data, since `initdb` takes ten times as long. */
function createServerFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'contract-first-postgres-'));
  chmodSync(folder, 0o755);
  const dataFolder = join(folder, 'data');
  execFileSync('cp', ['-a', join(pristine(), 'data'), dataFolder]);
  return { folder, dataFolder };
}

/** Returns the folder with the programs and the data to copy, created by Jest's globalSetup. */
function pristine(): string {
  return join(process.env['TEST_RUN_FOLDER'] ?? '', 'postgres');
}

/** Joins the hosts of several URLs to one URL. Takes the other parts from the first URL. */
export function joinHosts(...urls: readonly [string, ...string[]]): string {
  const hosts = urls.map((url) => /@([^/]*)/.exec(url)?.[1]);
  return urls[0].replace(/@[^/]*/, `@${hosts.join(',')}`);
}

/** Configures TLS with a certificate for `localhost`; the database `with_certificate` requires a client certificate. */
function tlsSettings(folder: string, { root, certificate, key }: Certificates): Readonly<Record<string, string>> {
  const ownKey = join(folder, 'server.key');
  cpSync(key, ownKey);
  chmodSync(ownKey, 0o600);
  if (isRoot()) chownSync(ownKey, nobodyId('-u'), nobodyId('-g'));
  const rules = join(folder, 'pg_hba.conf');
  writeFileSync(
    rules,
    `hostssl postgres all 127.0.0.1/32 reject
     hostssl with_certificate all 127.0.0.1/32 scram-sha-256 clientcert=verify-ca
     hostssl all all 127.0.0.1/32 scram-sha-256
     hostnossl postgres all 127.0.0.1/32 scram-sha-256`,
  );
  return { ssl: 'on', ssl_ca_file: root, ssl_cert_file: certificate, ssl_key_file: ownKey, hba_file: rules };
}

type Server = {
  /** The folder of the server's files. */
  readonly folder: string;
  readonly dataFolder: string;
  readonly settings: Readonly<Record<string, string>>;
};

async function startOn({ folder, dataFolder, settings }: Server): Promise<Postgres> {
  const port = await freePort();
  const options = optionsOf(port, settings);
  let server: ChildProcess | undefined;

  const postgres: Postgres = {
    ...serverAt(port),
    dataFolder,
    kill: async (signal) => {
      const ended = server;
      server = undefined;
      if (ended?.exitCode !== null || ended.signalCode !== null) return;
      ended.kill(signal);
      await once(ended, 'exit');
    },
    start: async () => {
      for (let attempts = 1; server === undefined; attempts += 1) {
        const { started, output } = spawnServer();
        if (await becomesReady(postgres, started)) server = started;
        // PostgreSQL does not start while processes of a killed server are running.
        else if (attempts < 100) await sleep(50);
        else throw new Error(`PostgreSQL does not start:\n${output()}`);
      }
    },
    stop: async () => {
      await postgres.kill('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await postgres.start();
  return postgres;

  function spawnServer() {
    const program = join(pristine(), 'native/bin/postgres');
    const started = spawn(program, ['-D', dataFolder, ...options], { ...asServerUser(folder), stdio: 'pipe' });
    let output = '';
    started.stderr.setEncoding('utf8').on('data', (text: string) => (output = `${output}${text}`.slice(-10_000)));
    return { started, output: () => output };
  }
}
