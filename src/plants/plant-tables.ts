import { migrationsIn, type BatchDefinition } from '@contract-first/database';

/**
 * A row: the id, and the other properties as JSON. JSON escapes U+0000 and lone surrogates, which a text column cannot
 * hold: SQLite cuts text at U+0000, PostgreSQL rejects it, and UTF-8 cannot encode lone surrogates.
 */
export type PlantRow = { readonly id: bigint; readonly plant: string };

export const plantTables: BatchDefinition<PlantRow> = {
  name: 'plant store',
  tag: 'plnt', // Identifies the database file of this application.
  tables: ['plants'],
  migrations: migrationsIn(new URL('migrations', import.meta.url)),
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
