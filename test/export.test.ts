import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openTestStore, temporaryFolder } from './support/app.ts';
import { run } from './support/service.ts';
import { describeStores } from './support/stores.ts';

const exportPlants = (url: string, ...args: string[]) =>
  run('node', ['scripts/export.ts', ...args], { DATABASE_URL: url });

describe('export', () => {
  describeStores((createDatabase) => {
    test('writes the current plants as NDJSON, ids with all their digits, beside a service that has the store open', async () => {
      const url = await createDatabase();
      const store = await openTestStore(url);
      await store.add({ id: 2n ** 63n - 1n, name: 'old', tag: 'tag' });
      await store.add({ id: -(2n ** 63n), name: '\u0000\ud800' });
      await store.add({ id: 2n ** 63n - 1n, name: 'new' });

      const old = '{"id":9223372036854775807,"name":"old","tag":"tag"}\n';
      const odd = '{"id":-9223372036854775808,"name":"\\u0000\\ud800"}\n';
      const current = '{"id":9223372036854775807,"name":"new"}\n';
      expect(await exportPlants(url)).toEqual({ code: 0, stdout: odd + current, stderr: '' });
      const history = { code: 0, stdout: old + odd + current, stderr: '' };
      expect(await exportPlants(url, '--history')).toEqual(history);
      await store.close();
      expect(await exportPlants(url, '--history')).toEqual(history);
    });

    test('of an empty store writes nothing', async () => {
      const url = await createDatabase();
      await (await openTestStore(url)).close();
      expect(await exportPlants(url)).toEqual({ code: 0, stdout: '', stderr: '' });
    });

    test('ends quietly when its reader has seen enough', async () => {
      const url = await createDatabase();
      const store = await openTestStore(url);
      await Promise.all(Array.from({ length: 20_000 }, (_, id) => store.add({ id: BigInt(id), name: 'x'.repeat(50) })));
      await store.close();
      const command = `set -o pipefail; node scripts/export.ts | head -n 1`;
      const outcome = await run('bash', ['-c', command], { DATABASE_URL: url });
      expect(outcome).toEqual({ code: 0, stdout: `{"id":0,"name":"${'x'.repeat(50)}"}\n`, stderr: '' });
    });
  });

  test.each([
    ['there is no database', () => join(temporaryFolder(), 'plants.db'), /^there is no database at .*\n$/],
    ['the file is something else', notADatabase, /^the database .* is not a SQLite database\n$/],
  ])('exits 1 with one line when %s', async (_what, makePath, message) => {
    const outcome = await exportPlants(`sqlite:${makePath()}`);
    expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(message) });
  });

  test('exits 1 when DATABASE_URL has another form', async () => {
    expect(await exportPlants('plants.db')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATABASE_URL must be/),
    });
  });

  function notADatabase(): string {
    const path = join(temporaryFolder(), 'plants.db');
    writeFileSync(path, 'not a database '.repeat(100));
    return path;
  }
});
