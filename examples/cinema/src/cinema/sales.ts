import { DatabaseSync } from 'node:sqlite';
import { Kysely, PostgresDialect, SqliteDialect, type SqliteDatabase } from 'kysely';
import { Pool } from 'pg';
import type { DatabaseLocation, DatabaseOptions } from '@contract-first/database';

type Tables = {
  readonly screenings: { readonly id: bigint; readonly film: string };
  readonly bookings: { readonly screening: bigint; readonly seats: bigint; readonly paid: bigint };
};

/**
 * Opens reports on the same database with Kysely, which has separate connections. For its statements, the engine does
 * not
 *
 * - respond 503 when the database is unavailable: the response is 500, and `/readyz` does not fail;
 * - limit their time and their queue, follow a failover, read TLS certificates, count or trace them;
 * - return integers as bigints: pg returns text, and SQLite returns numbers;
 * - keep the event loop free: SQLite runs in this thread. The connection is read-only, since a write could block the
 * thread.
 */
export function openSales(location: DatabaseLocation, { log }: Pick<DatabaseOptions, 'log'>) {
  const database = new Kysely<Tables>({ dialect: dialectFor(location, log) });
  return {
    /** Lists the films with the most paid seats. */
    async list() {
      const rows = await database
        .selectFrom('bookings')
        .innerJoin('screenings', 'screenings.id', 'bookings.screening')
        .where('paid', '=', 1n)
        .groupBy('film')
        .select(({ fn }) => ['film', fn.sum('bookings.seats').as('seats')])
        .orderBy('seats', 'desc')
        .limit(100)
        .execute();
      return rows.map(({ film, seats }) => ({ film, seats: BigInt(seats) }));
    },
    close: () => database.destroy(),
  };
}

export type Sales = ReturnType<typeof openSales>;

function dialectFor(location: DatabaseLocation, log: DatabaseOptions['log']) {
  if (location.engine === 'sqlite') return new SqliteDialect({ database: async () => openSqlite(location.path) });
  const { hosts, tls, user, password, database } = location;
  const ssl = tls.mode !== 'disable' && { rejectUnauthorized: tls.mode !== 'require' };
  const pool = new Pool({ ...hosts[0], user, password, database, ssl, max: 2 });
  // Without a listener, losing an idle connection would end the process.
  pool.on('error', (error) => {
    log.warn({ err: error }, 'a connection for reports was lost');
  });
  return new PostgresDialect({ pool });
}

/** Adapts Node's SQLite to the interface of better-sqlite3, which Kysely expects. */
function openSqlite(path: string): SqliteDatabase {
  const database = new DatabaseSync(path, { readOnly: true });
  const prepare: SqliteDatabase['prepare'] = (text) => {
    const statement = database.prepare(text);
    type Values = readonly (string | bigint | number | null)[]; // The parameters of the queries above.
    return {
      reader: true,
      all: (values) => statement.all(...(values as Values)),
      run: (values) => statement.run(...(values as Values)),
      iterate: (values) => statement.iterate(...(values as Values)),
    };
  };
  return {
    prepare,
    close: () => {
      database.close();
    },
  };
}
