import { copySqliteDatabase } from '@contract-first/database';
import { plantTables } from '../src/plants/plant-tables.ts';
import { runWithConfiguration } from './command.ts';
import { refuse } from './output.ts';

// `npm run backup -- plants-2026-11-21.db` copies the embedded store while services use it; `npm run restore -- …`
// copies a backup to the path of the store. Neither overwrites a file.
const [command, file, ...rest] = process.argv.slice(2);
if (file === undefined || file.startsWith('-') || rest.length > 0) {
  refuse(`name one file: npm run ${String(command)} -- plants-backup.db`);
}
await runWithConfiguration(async ({ location }) => {
  if (location.engine !== 'sqlite') {
    refuse('this command is for the embedded store; for PostgreSQL, use pg_dump, pg_basebackup or WAL archiving');
  }
  const [from, to] = command === 'restore' ? [file, location.path] : [location.path, file];
  const interrupted = new AbortController();
  process.once('SIGINT', () => {
    interrupted.abort();
  });
  try {
    const creations = await copySqliteDatabase(plantTables, from, to, interrupted.signal);
    console.log(`${to} holds ${String(creations)} creation${creations === 1 ? '' : 's'}`);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    process.exitCode = 130;
  }
});
