// The modules that open-database.ts loads for PostgreSQL.

export { openPostgresCounter } from './counter.ts';
export { openPostgresDatabase } from './database.ts';
export { openPostgresReader } from './reader.ts';
