import type { BatchDefinition } from '@contract-first/database';

// A plant is JSON text beside its id: SQLite cuts text at U+0000,
// PostgreSQL refuses it, and UTF-8 has no lone surrogates; JSON escapes both.
export type PlantRow = { readonly id: bigint; readonly plant: string };

export const plantTables: BatchDefinition<PlantRow> = {
  name: 'plant store',
  tag: 'plnt',
  tables: ['plants'],
  migrations: {
    // `seq` is the order of creation. The index by id ends with `seq`, as every index of a rowid table does, so it also
    // finds the latest plant with an id. Only creations that may be repeated have a key; the others are not indexed.
    sqlite: [
      `CREATE TABLE plants (
         seq INTEGER PRIMARY KEY,
         id INTEGER NOT NULL,
         plant TEXT NOT NULL
       ) STRICT;
       CREATE INDEX plants_by_id ON plants (id)`,
      `ALTER TABLE plants ADD COLUMN key BLOB;
       CREATE UNIQUE INDEX plants_by_key ON plants (key) WHERE key IS NOT NULL`,
    ],
    // No sequence: all writers of a distributed engine would contend for it. `key` is random, so such an engine spreads
    // the rows, or groups them by `id`. The order of creation is (created_at, place, key).
    // By their documentation, YugabyteDB 2025.1 and CockroachDB work unchanged. If ids count upwards on CockroachDB, replace
    // `plants_by_id` by CREATE INDEX ON plants (id, created_at) USING HASH. Citus cannot plan the subquery of `insert` on
    // a distributed table, so `plants` must be an ordinary one.
    postgres: [
      (schema) => `
        CREATE TABLE ${schema}.plants (
          key uuid NOT NULL,
          id bigint NOT NULL,
          created_at timestamptz NOT NULL,
          place integer NOT NULL,
          plant text NOT NULL,
          PRIMARY KEY (key, id)
        );
        CREATE INDEX plants_by_id ON ${schema}.plants (id, created_at)`,
    ],
  },
  insert: {
    table: 'plants',
    columns: { id: 'bigint', plant: 'text' },
    sqlite: 'INSERT INTO plants (id, plant, key) VALUES (?, ?, ?) ON CONFLICT (key) WHERE key IS NOT NULL DO NOTHING',
    // A creation is later than every committed one of its id, even if the clock of this server is behind.
    postgres: (schema, rows) => `
      INSERT INTO ${schema}.plants (key, id, created_at, place, plant)
      SELECT new.key, new.id,
        greatest(now(), (SELECT max(created_at) FROM ${schema}.plants WHERE id = new.id) + interval '1 microsecond'),
        new.place, new.plant
      FROM ${rows}
      ON CONFLICT (key, id) DO NOTHING
      RETURNING key`,
  },
};
