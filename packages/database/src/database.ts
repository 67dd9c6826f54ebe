import type { Logger } from 'pino';
import type { Migrations } from './migrations.ts';
import type { Query } from './sql.ts';

/** The database of an application. */
export type Database = DatabaseReader & {
  /**
   * Runs all statements or none, in one transaction. Resolves once the transaction survives a crash of the process and
   * of the machine. Use `transaction` for statements that depend on the results of earlier statements.
   *
   * @returns the result of each statement
   * @throws {DatabaseUnavailable} when the database cannot confirm the transaction; it may have been committed
   * @throws {ConstraintViolated} when a statement violates a constraint; nothing was written
   * @throws {TextNotStorable} when a string has a character that the database cannot store; nothing was written
   * @throws {Error} when the database refuses a statement for another reason; nothing was written
   */
  readonly write: (...statements: readonly Query[]) => Promise<readonly StatementResult[]>;

  /**
   * Runs reads and writes in one serializable transaction: its result is as if transactions ran one after the other.
   * Resolves with the value of `work` once the transaction survives a crash.
   *
   * @param work must await only calls of `transaction`, since other writes may wait for it. In SQLite, work may take a
   *   second plus the duration of its last statement. In work, the database's `write`, `transaction`, `insert` and
   *   `check` reject. After a conflict with another transaction, work runs again, within the time limit of a write
   * @throws the error that `work` throws, or the error of the failed statement; nothing was written
   * @throws {DatabaseUnavailable} when the database cannot confirm the transaction; it may have been committed
   */
  readonly transaction: <Result>(work: (transaction: Transaction) => Promise<Result>) => Promise<Result>;

  /**
   * Runs work once for each key, in one transaction with the record of its result. While the work runs, `read`, `write`,
   * `transaction` and `insert` are parts of this transaction; each part still has all of its statements or none. `once`
   * and `check` reject. The rules for the work of `transaction` apply. A result is forgotten after a day. Exists only
   * with the option `once`.
   *
   * @param work returns the result
   * @returns the result of the work, or of earlier work with the key; `undefined` while the work runs elsewhere
   * @throws the error that `work` throws; nothing was written
   * @throws {DatabaseUnavailable} when the database cannot confirm the transaction; it may have been committed, then the
   *   next call with the key returns the result
   */
  readonly once?: (key: string, work: () => Promise<string>) => Promise<string | undefined>;

  /**
   * Checks that transactions can be committed now.
   *
   * @throws {DatabaseUnavailable} when they cannot
   */
  readonly check: () => Promise<void>;
};

/** The database of an application that inserts rows in batches. */
export type BatchDatabase<Row> = Database & {
  /**
   * Inserts a row with the definition's batch statement. Concurrent inserts share a transaction, but never with a
   * `write`.
   *
   * @param key a UUID that makes the insert idempotent: at most one row has the key
   * @returns whether the row was inserted now; `false` when a row with the key exists, which may be this row after a
   *   lost connection
   * @throws {DatabaseUnavailable} when the database cannot confirm the row; it may have been committed
   * @throws {Error} when the database refuses this row
   */
  readonly insert: (row: Row, key?: string) => Promise<boolean>;
};

/** The read-only interface of an application's database. */
export type DatabaseReader = {
  /**
   * Runs a read-only query and returns its rows. The query sees every write that has resolved. Use `stream` if the rows
   * do not fit into memory.
   *
   * @throws {DatabaseUnavailable} when the database does not answer in time
   * @throws {Error} when the database refuses the query
   */
  readonly read: <Row>(query: Query<Row>) => Promise<readonly Row[]>;

  /**
   * Runs a query and returns its rows one at a time, from the snapshot at which reading began. Uses constant memory,
   * even for slow readers: rows are spooled to a temporary file when other streams wait for the connection.
   *
   * @throws {DatabaseUnavailable} while reading, when the database fails, no connection becomes free in time, or the
   *   temporary folder is full
   */
  readonly stream: <Row>(query: Query<Row>) => AsyncIterable<Row>;

  /** Waits for pending writes and reads, then closes the database; open streams end with an error. */
  readonly close: () => Promise<void>;
};

/** Counts events by key. All instances of the application that use the database share the counts. */
export type SharedCounter = {
  /**
   * Counts an event. The first event of a key begins a window; the count restarts after the window. When there are too
   * many counts, the oldest are removed.
   *
   * @throws {DatabaseUnavailable} when the database does not answer within a second
   */
  readonly add: (key: string, kind: CountKind) => Promise<Count>;
  readonly close: () => Promise<void>;
};

/** The subject of a count. A counter keeps a limited number of counts for each kind. */
export type CountKind = 'caller' | 'address';

/** A count, including the event that was just added. */
export type Count = {
  readonly count: number;
  /** The time until the end of the window; greater than zero. */
  readonly remainingMs: number;
};

export type CounterOptions = {
  /** The name of the application. */
  readonly name: string;
  readonly windowSeconds: number;
};

/**
 * An open transaction. Each statement sees the effects of earlier statements. A failed statement ends the transaction.
 */
export type Transaction = {
  /** Runs a read-only query and returns its rows. */
  readonly read: <Row>(query: Query<Row>) => Promise<readonly Row[]>;
  /** Runs statements one after the other, and returns their results. */
  readonly write: (...statements: readonly Query[]) => Promise<readonly StatementResult[]>;
};

/** The result of a statement. */
export type StatementResult = {
  /** The rows that the statement returns. */
  readonly rows: readonly unknown[];
  /** The number of rows that the statement changed or returned. */
  readonly count: number;
};

/** The tables of an application. */
export type Definition = {
  /** Words separated by spaces: `note book`. Used in the name of the version table, `application_name` and messages. */
  readonly name: string;
  /** Four ASCII characters: the application id of the SQLite file, and the key of PostgreSQL's advisory lock. */
  readonly tag: string;
  readonly tables: readonly string[];
  readonly migrations: Migrations;
};

/** The tables of an application that inserts rows in batches. */
export type BatchDefinition<Row> = Definition & { readonly insert: BatchInsert<Row> };

/** The statement that inserts rows. The table has a unique column `key`: BLOB or NULL in SQLite, uuid in PostgreSQL. */
export type BatchInsert<Row> = {
  readonly table: string;
  /** The columns of a row, in the order of their parameters. */
  readonly columns: { readonly [Name in keyof Row]: Row[Name] extends bigint ? 'bigint' : 'text' };
  /** SQL that inserts one row, or does nothing if the key exists. The parameters are the columns, then the key. */
  readonly sqlite: string;
  /**
   * Returns SQL that inserts all rows whose key does not exist, and returns the `key` of each inserted row.
   *
   * @param schema the quoted schema of the table
   * @param rows a FROM item named `new` with the column `key`, the row's columns, and `place`, the number of the row
   *   from 1
   */
  readonly postgres: (schema: string, rows: string) => string;
};

/** The options of a database. */
export type DatabaseOptions = {
  /** The number of connections to a database server for writing, and the same number for reading. */
  readonly poolSize: number;
  /** How long a write or a read may take. */
  readonly timeoutMs: number;
  /** The size limit of the write queue, and of the read queue. */
  readonly queueLimitBytes: number;
  /** Whether the database has `once`, and a table for its results. */
  readonly once?: boolean;
  /** Receives each commit: its number of rows and its duration. */
  readonly onCommit?: (rows: number, durationMs: number) => void;
  readonly log: Logger;
};

/** The database is temporarily or permanently unavailable. The message gives operators the reason in one line. */
export class DatabaseUnavailable extends Error {}

/** A string value of a statement has U+0000, which PostgreSQL can store neither as text nor as jsonb. */
export class TextNotStorable extends Error {}

/** A statement violates a constraint of the tables. */
export class ConstraintViolated extends Error {
  readonly kind: 'unique' | 'foreign key' | 'check';
  /**
   * The name of the constraint or of the unique index. Unnamed constraints have PostgreSQL's default names, such as
   * `seats_pkey` and `bookings_seat_key`, in both databases. `undefined` for foreign keys in SQLite, which does not
   * report their names.
   */
  readonly constraint: string | undefined;

  constructor(
    message: string,
    kind: ConstraintViolated['kind'],
    constraint: string | undefined,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
    this.kind = kind;
    this.constraint = constraint;
  }
}

/** Returns the name of an application as an SQL identifier. */
export function identifierOf(name: string): string {
  return name.replaceAll(' ', '_');
}

/** Returns the name of the table with the version of an application's tables, and the record of its migrations. */
export function versionTableOf({ name }: Pick<Definition, 'name'>): string {
  return `${identifierOf(name)}_schema`;
}

/** Returns the value of the column `key` in SQLite: the 16 bytes of the UUID, or NULL without a key. */
export function keyBytesOf(key: string | undefined): Uint8Array | null {
  return key === undefined ? null : Buffer.from(key.replaceAll('-', ''), 'hex');
}

/** Returns the four characters of a tag as a 32-bit number. */
export function tagNumberOf(tag: string): number {
  return Buffer.from(tag, 'latin1').readInt32BE();
}
