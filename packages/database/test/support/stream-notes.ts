import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../src/sql.ts';
import { notes, openNotes, type Note } from './notes.ts';

// Streams all notes slowly while it inserts and reads other notes, and prints the number of streamed notes.
const [url = ''] = process.argv.slice(2);
const database = await openNotes(url);
let count = 0n;
let inserted = 1_000_000n;
for await (const { id } of database.stream(sql<Note>`SELECT id, text FROM ${notes} ORDER BY id`)) {
  count += 1n;
  if (id !== count) throw new Error(`note ${String(id)} comes at place ${String(count)}`);
  if (count % 2_000n !== 0n) continue;
  inserted += 1n;
  await database.insert({ id: inserted, text: 'new' });
  const [row] = await database.read(sql<Note>`SELECT id FROM ${notes} WHERE id = ${inserted}`);
  if (row?.id !== inserted) throw new Error(`note ${String(inserted)} is missing`);
  await sleep(5);
}
console.log(String(count));
await database.close();
