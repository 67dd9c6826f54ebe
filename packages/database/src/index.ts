/**
 * SQLite and PostgreSQL behind one interface.
 *
 * @module @contract-first/database
 */

export {
  ConstraintViolated,
  DatabaseUnavailable,
  TextNotStorable,
  type BatchDatabase,
  type BatchDefinition,
  type Database,
  type DatabaseOptions,
  type DatabaseReader,
  type Definition,
  type Transaction,
} from './database.ts';
export { migrationsIn, type Migration, type Migrations, type SqlFile } from './migrations.ts';
export { databaseAt, openDatabase, openReader, parseDatabaseUrl, type DatabaseLocation } from './open-database.ts';
export { either, fromBuilder, sql, table, type Query } from './sql.ts';
export { copySqliteDatabase } from './sqlite/backup.ts';
