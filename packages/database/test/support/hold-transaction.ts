import { openNotes, tally } from './notes.ts';
import { sql } from '../../src/sql.ts';

// Changes the tally in a transaction, prints a line, and keeps the transaction open.
const [url = ''] = process.argv.slice(2);
const database = await openNotes(url, { timeoutMs: 2_000 });
await database.transaction(async ({ write }) => {
  await write(sql`UPDATE ${tally} SET total = total + 1`);
  console.log('changed');
  await new Promise(() => undefined);
});
