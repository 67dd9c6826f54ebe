import { DatabaseUnavailable, type DatabaseReader } from './database.ts';
import type { Query } from './sql.ts';

/** Bounds how many streams are open at once: each has a connection of its own. */
export function limitStreams(limit: number, open: (query: Query) => AsyncIterable<unknown>): DatabaseReader['stream'] {
  let count = 0;
  return async function* stream<Row>(query: Query<Row>) {
    if (count >= limit) throw new DatabaseUnavailable(`more than ${String(limit)} streams are open`);
    count += 1;
    try {
      yield* open(query) as AsyncIterable<Row>; // The query declares its row type.
    } finally {
      count -= 1;
    }
  };
}
