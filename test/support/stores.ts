import { afterAll, beforeAll, describe } from '@jest/globals';
import { temporaryDatabase } from './app.ts';
import { startPostgres, type Postgres } from './postgres.ts';

/**
 * Runs the same suite against each store.
 *
 * @param suite receives a function that creates an empty database and returns its URL
 */
export function describeStores(suite: (createDatabase: () => Promise<string>) => void): void {
  describe('SQLite', () => {
    suite(() => Promise.resolve(temporaryDatabase()));
  });

  describe('PostgreSQL', () => {
    let postgres: Postgres | undefined;
    beforeAll(async () => {
      postgres = await startPostgres();
    }, 60_000);
    afterAll(() => postgres?.stop());
    suite(() => postgres?.createDatabase() ?? Promise.reject(new Error('PostgreSQL has not started')));
  });
}
