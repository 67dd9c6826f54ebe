import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../src/database.ts';
import { sql } from '../../src/sql.ts';
import { insertNote, openNotes, tally } from './notes.ts';

// Writes and counts large notes in consecutive transactions, until it is killed. Prints the id of each confirmed note,
// and a line for each failed transaction.
const [url = ''] = process.argv.slice(2);
const database = await openNotes(url);
const text = 'x'.repeat(20_000);
for (let id = 1n; ; id += 1n) {
  try {
    await database.transaction(({ write }) =>
      write(insertNote(id, text), insertNote(-id, text), sql`UPDATE ${tally} SET total = total + 2`),
    );
    console.log(String(id));
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    console.log('unavailable');
    await sleep(10);
  }
}
