import { insertNote, openNotes, tally } from './notes.ts';
import { sql } from '../../src/sql.ts';

// Writes and counts notes in concurrent transactions, and prints each confirmed id, until it is killed.
const [url = '', first = '0'] = process.argv.slice(2);
const database = await openNotes(url);
await Promise.all(Array.from({ length: 8 }, (_, writer) => writeNotes(BigInt(first) + BigInt(writer) * 1_000_000n)));

async function writeNotes(from: bigint): Promise<void> {
  for (let id = from; ; id += 1n) {
    await database.write(
      insertNote(id, 'x'),
      sql`UPDATE ${tally} SET total = total + 1`,
      insertNote(-1n - id, 'x'),
      sql`UPDATE ${tally} SET total = total + 1`,
    );
    console.log(String(id));
  }
}
