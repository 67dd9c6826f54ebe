import { sql, table, type Database, type Definition } from '@contract-first/database';

type Row = { readonly id: bigint };
type Screening = Row & { readonly film: string; readonly free: bigint };
type Booking = Row & { readonly screening: bigint; readonly seats: bigint };

const ID = {
  sqlite: 'id INTEGER PRIMARY KEY AUTOINCREMENT',
  postgres: 'id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
};

export const bookingTables: Definition = {
  name: 'cinema',
  tag: 'cine',
  tables: ['screenings', 'bookings'],
  migrations: {
    sqlite: [
      `CREATE TABLE screenings (${ID.sqlite}, film TEXT NOT NULL UNIQUE, free INTEGER NOT NULL) STRICT`,
      `CREATE TABLE bookings (${ID.sqlite}, screening INTEGER NOT NULL, seats INTEGER NOT NULL,
         held_at INTEGER NOT NULL, paid INTEGER NOT NULL DEFAULT 0) STRICT`,
    ],
    postgres: [
      (schema) => `CREATE TABLE ${schema}.screenings (${ID.postgres}, film text NOT NULL UNIQUE, free bigint NOT NULL)`,
      (schema) => `CREATE TABLE ${schema}.bookings (${ID.postgres}, screening bigint NOT NULL, seats bigint NOT NULL,
         held_at bigint NOT NULL, paid bigint NOT NULL DEFAULT 0)`,
    ],
  },
};

const [screenings, bookings] = [table('screenings'), table('bookings')];

/** The screenings and their bookings. A booking and the free seats of its screening change in one transaction. */
export function createBookings({ read, write, transaction }: Pick<Database, 'read' | 'write' | 'transaction'>) {
  return {
    async schedule(film: string, seats: number) {
      const [added] = await write(
        sql`INSERT INTO ${screenings} (film, free) VALUES (${film}, ${BigInt(seats)}) RETURNING id`,
      );
      return idOf(added?.rows);
    },

    find: async (id: bigint) =>
      (await read(sql<Screening>`SELECT id, film, free FROM ${screenings} WHERE id = ${id}`))[0],

    /** Books seats. Returns the id of the booking, or the reason why there is none. */
    book: (screening: bigint, seats: number, now: bigint) =>
      transaction(async ({ read, write }) => {
        const [found] = await read(sql<Screening>`SELECT free FROM ${screenings} WHERE id = ${screening}`);
        if (found === undefined) return 'missing';
        if (found.free < seats) return 'sold out';
        const [added] = await write(
          sql`INSERT INTO ${bookings} (screening, seats, held_at) VALUES (${screening}, ${BigInt(seats)}, ${now}) RETURNING id`,
          sql`UPDATE ${screenings} SET free = free - ${BigInt(seats)} WHERE id = ${screening}`,
        );
        return idOf(added?.rows);
      }),

    /** Marks a booking as paid. Returns whether the booking exists. */
    pay: async (id: bigint) => (await write(sql`UPDATE ${bookings} SET paid = 1 WHERE id = ${id}`))[0]?.count === 1,

    /** Removes up to 100 unpaid bookings from before a time. Returns their number. */
    release: (before: bigint) =>
      transaction(async ({ read, write }) => {
        const expired = await read(sql<Booking>`SELECT id, screening, seats FROM ${bookings}
          WHERE paid = 0 AND held_at <= ${before} ORDER BY id LIMIT 100`);
        const statements = expired.flatMap(({ id, screening, seats }) => [
          sql`DELETE FROM ${bookings} WHERE id = ${id}`,
          sql`UPDATE ${screenings} SET free = free + ${seats} WHERE id = ${screening}`,
        ]);
        if (statements.length > 0) await write(...statements);
        return expired.length;
      }),
  };
}

export type Bookings = ReturnType<typeof createBookings>;

function idOf(rows: readonly unknown[] = []): bigint {
  return (rows[0] as Row).id; // By RETURNING.
}
