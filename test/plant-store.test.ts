import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { sharedPostgres } from '@contract-first/testing/postgres-server.ts';
import { describeStores } from '@contract-first/testing/stores.ts';
import { listPlants, openTestStore } from './support/plant-store.ts';

const server = sharedPostgres();

const names = async (url: string, which: 'latest' | 'history') =>
  (await listPlants(url, which)).map(({ name }) => name);

describeStores((createDatabase) => {
  test('a store lists the plants in the order of creation; the latest plant with an id is current', async () => {
    const store = await openTestStore(await createDatabase());
    for (const [id, name] of [
      [1n, 'a'],
      [2n, 'b'],
      [1n, 'c'],
      [3n, 'd'],
      [2n, 'e'],
    ] as const)
      await store.add({ id, name });
    expect(await names(store.url, 'history')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await names(store.url, 'latest')).toEqual(['c', 'd', 'e']);
  });

  test('a store keeps the order of concurrently added plants', async () => {
    const store = await openTestStore(await createDatabase());
    const plants = Array.from({ length: 3_000 }, (_, index) => ({ id: BigInt(index % 7), name: String(index) }));
    await Promise.all(plants.map((plant) => store.add(plant)));
    expect(await store.list('history')).toEqual(plants);
    expect((await store.list('latest')).map(({ name }) => Number(name))).toEqual([
      2993, 2994, 2995, 2996, 2997, 2998, 2999,
    ]);
  });
});

test("on a PostgreSQL server, the later plant is current, even when the server's clock is behind", async () => {
  const url = await server.createDatabase();
  const store = await openTestStore(url);
  await server.query(
    url,
    `INSERT INTO plants VALUES ($1, 1, now() + interval '1 year', 1, '{"name":"from the future"}')`,
    [randomUUID()],
  );
  await store.add({ id: 1n, name: 'a' });
  await Promise.all(['b', 'c'].map((name) => store.add({ id: 1n, name })));
  expect(await names(url, 'latest')).toEqual(['c']);
  expect(await names(url, 'history')).toEqual(['from the future', 'a', 'b', 'c']);
});

test('on a PostgreSQL server, current plants are found among more plants than fit into one batch', async () => {
  const url = await server.createDatabase();
  await openTestStore(url);
  await server.query(
    url,
    `INSERT INTO plants SELECT gen_random_uuid(), n / 2, now(), n, json_build_object('name', 'x', 'tag', n::text)
       FROM generate_series(1, 5001) AS n`,
  );
  const tags = Array.from({ length: 5001 }, (_, index) => String(index + 1));
  expect((await listPlants(url, 'history')).map(({ tag }) => tag)).toEqual(tags);
  expect((await listPlants(url, 'latest')).map(({ tag }) => tag)).toEqual(tags.filter((tag) => Number(tag) % 2 === 1));
});

test('the embedded store upgrades a file of the first version with all its data', async () => {
  const path = join(temporaryFolder(), 'plants.db');
  const first = new DatabaseSync(path);
  first.exec(`
      CREATE TABLE plants (seq INTEGER PRIMARY KEY, id INTEGER NOT NULL, plant TEXT NOT NULL) STRICT;
      CREATE INDEX plants_by_id ON plants (id);
      INSERT INTO plants (id, plant) VALUES (9223372036854775807, '{"name":"\\u0000"}');
      PRAGMA application_id = 0x706c6e74;
      PRAGMA user_version = 1;
    `);
  first.close();
  const store = await openTestStore(`sqlite:${path}`);
  expect(await store.add({ id: 1n, name: 'x' }, randomUUID())).toBe(true);
  expect(await store.list('history')).toEqual([
    { id: 2n ** 63n - 1n, name: '\u0000' },
    { id: 1n, name: 'x' },
  ]);
});
