import { DatabaseUnavailable, type DatabaseReader } from './database.ts';
import type { Query } from './sql.ts';

/**
 * Bounds how many streams are open at once: each has a connection of its own.
 *
 * @param readPages runs a query and returns its rows in pages
 */
export function limitStreams(
  limit: number,
  readPages: (query: Query) => AsyncIterable<readonly unknown[]>,
): DatabaseReader['stream'] {
  let count = 0;
  return async function* stream<Row>(query: Query<Row>) {
    if (count >= limit) throw new DatabaseUnavailable(`more than ${String(limit)} streams are open`);
    count += 1;
    try {
      for await (const page of readPages(query)) {
        for (const row of page) yield row as Row; // The query declares its row type.
      }
    } finally {
      count -= 1;
    }
  };
}
