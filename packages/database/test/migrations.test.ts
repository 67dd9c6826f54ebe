import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { DATABASE_OPTIONS, locationOf } from '@contract-first/testing/database.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { migrationsIn, openDatabase, openReader, sql, table, type Database, type Migrations } from '../src/index.ts';

const BEDS = 'CREATE TABLE beds (id bigint PRIMARY KEY, crop text NOT NULL)';
const beds = table('beds');

const definitionOf = (migrations: Migrations) => ({ name: 'herb garden', tag: 'herb', tables: ['beds'], migrations });

async function open(url: string, migrations: Migrations): Promise<Database> {
  const database = await openDatabase(locationOf(url), definitionOf(migrations), DATABASE_OPTIONS);
  cleanUp(database.close);
  return database;
}

/** Returns the migrations of a folder with these files. */
function files(texts: Readonly<Record<string, string>>): Migrations {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(folder, name), text);
  return migrationsIn(pathToFileURL(folder));
}

const both = (...texts: readonly string[]): Migrations => ({ sqlite: texts, postgres: texts });

/** Removes the record of the migrations, which earlier versions did not write. */
const FORGET = {
  sqlite: sql`DROP TABLE herb_garden_schema`,
  postgres: sql`ALTER TABLE ${table('herb_garden_schema')} DROP COLUMN applied`,
};

describeStores((createDatabase) => {
  test('SQL files are applied in the order of their numbers, without the files for the other database', async () => {
    const database = await open(
      await createDatabase(),
      files({
        '10-index.sql': 'CREATE INDEX beds_by_crop ON beds (crop);',
        '2-rows.sqlite.sql': "INSERT INTO beds VALUES (1, 'sqlite');\nINSERT INTO beds VALUES (2, 'too');\n",
        '2-rows.postgres.sql': "INSERT INTO beds VALUES (1, 'postgres'); INSERT INTO beds VALUES (2, 'too')",
        '1-beds.sql': BEDS,
        'README.md': 'not a migration',
      }),
    );
    const engine = (await createDatabase()).split(':')[0];
    expect(await database.read(sql`SELECT crop FROM ${beds} ORDER BY id`)).toEqual([{ crop: engine }, { crop: 'too' }]);
  });

  test.each<readonly [name: string, original: Migrations, changed: Migrations, reason: RegExp]>([
    [
      'in the program',
      both(BEDS),
      both(BEDS.replace('bigint', 'integer')),
      /the database .* cannot be used: its migration 1 was changed after it was applied; .*append a migration, or d.*data$/,
    ],
    [
      'in a file',
      files({ '1-beds.sql': BEDS }),
      files({ '1-beds.sql': BEDS.replace('beds', 'plots') }),
      /its migration 1-beds\.sql was changed after it was applied; an applied migration is not run again/,
    ],
    [
      'by a file before it',
      files({ '1-beds.sql': BEDS }),
      files({ '0-plots.sql': 'CREATE TABLE plots (id bigint)', '1-beds.sql': BEDS }),
      /its migration 1 is now 0-plots\.sql, and was 1-beds\.sql when it was applied/,
    ],
  ])(
    'an applied migration that was changed %s stops the start, and nothing else',
    async (_name, original, changed, reason) => {
      const url = await createDatabase();
      await open(url, original);
      await expect(open(url, changed)).rejects.toThrow(reason);
      const again = await open(url, original);
      expect(await again.read(sql`SELECT id FROM ${beds}`)).toEqual([]);
    },
  );

  test('a migration may be moved to a file, formatted, renamed and followed by others', async () => {
    const url = await createDatabase();
    await open(url, { sqlite: [BEDS], postgres: [(schema) => BEDS.replace('beds', `${schema}.beds`)] });
    await open(url, files({ '1-beds.sql': `${BEDS.replace('(', '(\n  ')};\n` }));
    const last = await open(url, files({ '1-first.sql': BEDS, '2-row.sql': "INSERT INTO beds VALUES (1, 'leek')" }));
    expect(await last.read(sql`SELECT id FROM ${beds}`)).toEqual([{ id: 1n }]);
    const reader = await openReader(locationOf(url), definitionOf(both(BEDS, 'SELECT 1')));
    cleanUp(reader.close);
    expect(await reader.read(sql`SELECT crop FROM ${beds}`)).toEqual([{ crop: 'leek' }]);
  });

  test('a database without a record of its migrations is used, and records them', async () => {
    const url = await createDatabase();
    const before = await open(url, both(BEDS));
    await before.write(FORGET[url.startsWith('sqlite') ? 'sqlite' : 'postgres']);
    await before.close();
    await open(url, both(BEDS));
    await expect(open(url, both(BEDS.replace('bigint', 'integer')))).rejects.toThrow(
      /was changed after it was applied/,
    );
  });
});

test.each(['1-beds.pg.sql', '1.0-beds.sql', '1-beds.sqlite.postgres.sql'])('the file name %s is refused', (name) => {
  expect(() => files({ [name]: BEDS })).toThrow(/must be named like 1-name\.sql, 1-name\.sqlite\.sql/);
});
