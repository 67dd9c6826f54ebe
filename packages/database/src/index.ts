// SQLite and PostgreSQL behind one interface.

export { databaseAt, type DatabaseDriver } from './database-at.ts';
export {
  DatabaseUnavailable,
  type BatchDatabase,
  type BatchDefinition,
  type Database,
  type DatabaseOptions,
  type DatabaseReader,
  type Definition,
} from './database.ts';
export { openDatabase, openReader, parseDatabaseUrl, type DatabaseLocation } from './open-database.ts';
export { either, sql, table } from './sql.ts';
export { copySqliteDatabase } from './sqlite/backup.ts';
