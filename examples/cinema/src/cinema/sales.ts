import { type Compilable, Kysely, PostgresDialect, SqliteDialect } from 'kysely';
import { fromBuilder, type Database, type Query } from '@contract-first/database';

type Tables = {
  readonly screenings: { readonly id: bigint; readonly film: string };
  readonly bookings: { readonly screening: bigint; readonly seats: bigint; readonly paid: bigint };
};

// Kysely only compiles statements: the database of the engine runs them.
const BUILDERS = {
  sqlite: new Kysely<Tables>({ dialect: new SqliteDialect({ database: connect }) }),
  postgres: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: connect }) }),
};

/** The sales of the cinema, in queries that Kysely builds. */
export function createSales({ read }: Pick<Database, 'read'>) {
  return {
    /** Lists the films with the most paid seats. */
    async list() {
      const rows = await read(
        build((builder) =>
          builder
            .selectFrom('bookings')
            .innerJoin('screenings', 'screenings.id', 'bookings.screening')
            .where('paid', '=', 1n)
            .groupBy('film')
            .select(({ fn }) => ['film', fn.sum('bookings.seats').as('seats')])
            .orderBy('seats', 'desc')
            .limit(100),
        ),
      );
      // A sum of PostgreSQL is a text.
      return rows.map(({ film, seats }) => ({ film, seats: BigInt(seats) }));
    },
  };
}

export type Sales = ReturnType<typeof createSales>;

/** Returns a query for either database, typed by its rows. */
function build<Row>(query: (builder: Kysely<Tables>) => Compilable<Row>): Query<Row> {
  return fromBuilder((engine, schema) => {
    const builder = BUILDERS[engine];
    return query(schema === undefined ? builder : builder.withSchema(schema)).compile();
  });
}

function connect(): Promise<never> {
  return Promise.reject(new Error('Kysely has no connection'));
}
