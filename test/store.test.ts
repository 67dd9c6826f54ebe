import { describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStore } from '../src/store/open-store.ts';
import { temporaryFolder } from './support/app.ts';

describe('the store', () => {
  test('keeps nothing of a group that could not be committed, and takes the next', async () => {
    const path = join(temporaryFolder(), 'plants.db');
    const store = openStore({ engine: 'sqlite', path });
    const other = new DatabaseSync(path);
    other.exec("CREATE TRIGGER refuse BEFORE INSERT ON plants WHEN NEW.id = 13 BEGIN SELECT RAISE(ABORT, 'no'); END");

    const group = [12n, 13n, 14n].map((id) => store.add({ id, name: 'x' }));
    expect((await Promise.allSettled(group)).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await store.add({ id: 15n, name: 'x' });
    expect((await Array.fromAsync(store.list('history'))).map(({ id }) => id)).toEqual([15n]);
    other.close();
    await store.close();
  });

  test('closes only when what was added before is committed', async () => {
    const path = join(temporaryFolder(), 'plants.db');
    const store = openStore({ engine: 'sqlite', path });
    const added = store.add({ id: 1n, name: 'x' });
    await store.close();
    await added;
    const again = openStore({ engine: 'sqlite', path });
    expect(await Array.fromAsync(again.list('history'))).toEqual([{ id: 1n, name: 'x' }]);
    await again.close();
  });

  test('reads the plants as they are kept: the latest of an id is current, in the order of creation', async () => {
    const store = openStore({ engine: 'sqlite', path: join(temporaryFolder(), 'plants.db') });
    for (const [id, name] of [
      [1n, 'a'],
      [2n, 'b'],
      [1n, 'c'],
      [3n, 'd'],
      [2n, 'e'],
    ] as const)
      await store.add({ id, name });
    const names = async (which: 'current' | 'history') =>
      (await Array.fromAsync(store.list(which))).map(({ name }) => name);
    expect(await names('history')).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await names('current')).toEqual(['c', 'd', 'e']);
    await store.close();
  });
});
