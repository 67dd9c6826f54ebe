import { sql, table, type Database, type Definition } from '@contract-first/database';

export type Reading = { readonly sensor: number; readonly value: number; readonly at: Date };

// Times are milliseconds since 1970, as in a Date.
export const readingTables: Definition = {
  name: 'sensors',
  tag: 'sens',
  tables: ['readings'],
  migrations: {
    sqlite: [
      'CREATE TABLE readings (sensor INTEGER NOT NULL, value REAL NOT NULL, at INTEGER NOT NULL) STRICT',
      'CREATE INDEX readings_by_sensor ON readings (sensor, at)',
    ],
    postgres: [
      (schema) =>
        `CREATE TABLE ${schema}.readings (sensor bigint NOT NULL, value double precision NOT NULL, at bigint NOT NULL)`,
      (schema) => `CREATE INDEX readings_by_sensor ON ${schema}.readings (sensor, at)`,
    ],
  },
};

const readings = table('readings');
const PAGE_ROWS = 1_000n;

/** The readings of all sensors. */
export function createReadings({ read, write }: Pick<Database, 'read' | 'write'>) {
  return {
    add: ({ sensor, value, at }: Reading) =>
      write(
        sql`INSERT INTO ${readings} (sensor, value, at) VALUES (${BigInt(sensor)}, ${value}, ${BigInt(at.valueOf())})`,
      ),

    /** Returns the first readings of a sensor since a time. */
    async list(sensor: number, since: Date): Promise<Reading[]> {
      const rows = await read(
        sql<{ readonly value: number; readonly at: bigint }>`SELECT value, at FROM ${readings}
          WHERE sensor = ${BigInt(sensor)} AND at >= ${BigInt(since.valueOf())} ORDER BY at LIMIT ${PAGE_ROWS}`,
      );
      return rows.map(({ value, at }) => ({ sensor, value, at: new Date(Number(at)) }));
    },
  };
}

export type Readings = ReturnType<typeof createReadings>;
