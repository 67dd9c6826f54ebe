import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { PASSWORD, USER } from './postgres-programs.ts';

/** A PostgreSQL server with a superuser role `guests`. */
export type PostgresServer = {
  readonly port: number;
  /** Returns the URL of a database without TLS; by default of `postgres`, which exists on every server. */
  readonly url: (database?: string) => string;
  /** Creates an empty database and returns its URL. */
  readonly createDatabase: () => Promise<string>;
  /** Runs statements and returns the rows of the last statement, with values as text. */
  readonly query: (url: string, sql: string, values?: readonly unknown[]) => Promise<Record<string, string>[]>;
};

/**
 * Returns the server shared by all test files. Tests may create databases, but must not change settings. The server has
 * three additional roles: `clerk`, who can log in with the password `x`, `mallory` and `gardeners`.
 */
export function sharedPostgres(): PostgresServer {
  return serverAt(Number(process.env['TEST_POSTGRES_PORT']));
}

/** Returns the server that listens on a port. */
export function serverAt(port: number): PostgresServer {
  const url = (database = 'postgres'): string =>
    `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${String(port)}/${database}`;
  return {
    port,
    url,
    query,
    createDatabase: async () => {
      const name = `guests_${randomBytes(8).toString('hex')}`;
      await query(url(), `CREATE DATABASE ${name}`);
      return url(name);
    },
  };
}

/** Returns the options of the program `postgres`. */
export function optionsOf(port: number, settings: Readonly<Record<string, string>> = {}): readonly string[] {
  const all = { listen_addresses: '127.0.0.1', port: String(port), unix_socket_directories: '', ...settings };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Waits until a server accepts connections. Returns `false` if its process has ended. */
export async function becomesReady({ url }: PostgresServer, process: ChildProcess): Promise<boolean> {
  while (process.exitCode === null) {
    try {
      await query(url(), 'SELECT 1');
      return true;
    } catch {
      await sleep(25);
    }
  }
  return false;
}

async function query(url: string, sql: string, values: readonly unknown[] = []): Promise<Record<string, string>[]> {
  const client = new Client({ connectionString: url, types: { getTypeParser: () => String } });
  client.on('error', () => undefined); // The query also reports the error.
  try {
    await client.connect();
    const { rows } = await client.query<Record<string, string>>(sql, [...values]);
    return rows;
  } finally {
    client.connection.stream.destroy();
  }
}
