import type { Logger } from 'pino';
import type { Query } from './sql.ts';

/** The database of an application. */
export type Database = DatabaseReader & {
  /**
   * Runs statements in one transaction: all of them, or none. Resolves once the transaction survives a crash of the
   * process and of the machine. A statement that needs the result of another one is for `transaction`.
   *
   * @returns the result of each statement
   * @throws {DatabaseUnavailable} when the database cannot confirm the transaction; it may have been committed
   * @throws {ConstraintViolated} when a statement violates a constraint; nothing was written
   * @throws {TextNotStorable} when a text has a character that the database cannot store; nothing was written
   * @throws {Error} when the database refuses a statement for another reason; nothing was written
   */
  readonly write: (...statements: readonly Query[]) => Promise<readonly Written[]>;

  /**
   * Runs reads and writes in one transaction that is serializable: its result is one that is possible when transactions
   * run one after the other. Resolves with the value of `work` once the transaction survives a crash.
   *
   * @param work awaits nothing but `transaction`, since others may have to wait for its end: in SQLite, a second at most,
   *   and as long as the last statement takes. `write`, `transaction`, `insert` and `check` of the database reject in it.
   *   It is run again when another transaction was in its way, for as long as a write may take
   * @throws the error that `work` throws, or else that of the statement that failed; nothing was written
   * @throws {DatabaseUnavailable} when the database cannot confirm the transaction; it may have been committed
   */
  readonly transaction: <Result>(work: (transaction: Transaction) => Promise<Result>) => Promise<Result>;

  /**
   * Checks that a transaction could be committed now.
   *
   * @throws {DatabaseUnavailable} when it could not
   */
  readonly check: () => Promise<void>;
};

/** The database of an application that inserts rows in batches. */
export type BatchDatabase<Row> = Database & {
  /**
   * Inserts a row of the definition's batch statement. Rows that are inserted at the same time share a transaction, but
   * never with a `write`.
   *
   * @param key a UUID: under one key, one row is inserted, however often it is tried
   * @returns whether the row was inserted now; `false` when there is one under the key, which may be this one after a
   *   lost connection
   * @throws {DatabaseUnavailable} when the database cannot confirm the row; it may have been committed
   * @throws {Error} when the database refuses this row
   */
  readonly insert: (row: Row, key?: string) => Promise<boolean>;
};

/** The database of an application, for reading. */
export type DatabaseReader = {
  /**
   * Runs a query that changes nothing, and returns its rows. It sees every write that has resolved. Use `stream` for
   * more rows than fit into memory.
   *
   * @throws {DatabaseUnavailable} when the database does not answer in time
   * @throws {Error} when the database refuses the query
   */
  readonly read: <Row>(query: Query<Row>) => Promise<readonly Row[]>;

  /**
   * Runs a query and returns its rows one at a time, as of the moment that reading began. Memory does not grow with the
   * number of rows, however slowly they are taken: rows that others would have to wait for are kept in a temporary file.
   *
   * @throws {DatabaseUnavailable} while reading, when the database fails, no connection becomes free in time, or the
   *   temporary folder is full
   */
  readonly stream: <Row>(query: Query<Row>) => AsyncIterable<Row>;

  /** Waits for pending writes and reads, then closes the database; open streams end with an error. */
  readonly close: () => Promise<void>;
};

/** Counts events by key, together with all instances of the application that use the database. */
export type SharedCounter = {
  /**
   * Counts an event. The first event of a key begins a window, at whose end the count starts again. The oldest of too many
   * counts are forgotten.
   *
   * @throws {DatabaseUnavailable} when the database does not answer within a second
   */
  readonly add: (key: string, kind: CountKind) => Promise<Count>;
  readonly close: () => Promise<void>;
};

/** Who sent a request. Of each kind, a counter keeps a limited number of counts. */
export type CountKind = 'caller' | 'address';

/** A count, with the event that was just added. */
export type Count = {
  readonly count: number;
  /** The time to the end of the window, more than zero. */
  readonly remainingMs: number;
};

export type CounterOptions = {
  /** The name of the application. */
  readonly name: string;
  readonly windowSeconds: number;
};

/** A transaction that is open. Each statement sees those before it. One that fails ends the transaction. */
export type Transaction = {
  /** Runs a query that changes nothing, and returns its rows. */
  readonly read: <Row>(query: Query<Row>) => Promise<readonly Row[]>;
  /** Runs statements one after the other, and returns their results. */
  readonly write: (...statements: readonly Query[]) => Promise<readonly Written[]>;
};

/** The result of a statement. */
export type Written = {
  /** The rows that the statement returns. */
  readonly rows: readonly unknown[];
  /** The number of rows that it changed, or returned. */
  readonly count: number;
};

/** The tables of an application. */
export type Definition = {
  /** In words, separated by spaces: `note book`. The version table, `application_name` and messages are named by it. */
  readonly name: string;
  /** Four ASCII characters: the application id of the SQLite file, and the key of PostgreSQL's advisory lock. */
  readonly tag: string;
  readonly tables: readonly string[];
  /** SQL from each version to the next. Only append: databases are at any of these versions. */
  readonly migrations: {
    readonly sqlite: readonly string[];
    /** @param schema in which to create tables, quoted */
    readonly postgres: readonly ((schema: string) => string)[];
  };
};

/** The tables of an application that inserts rows in batches. */
export type BatchDefinition<Row> = Definition & { readonly insert: BatchInsert<Row> };

/** The statement that inserts rows. The table has a column `key`, unique: a BLOB or NULL in SQLite, a uuid in PostgreSQL. */
export type BatchInsert<Row> = {
  readonly table: string;
  /** The columns of a row, in the order of their parameters. */
  readonly columns: { readonly [Name in keyof Row]: Row[Name] extends bigint ? 'bigint' : 'text' };
  /** Inserts one row. Its parameters are the columns and then the key. Does nothing when there is a row with the key. */
  readonly sqlite: string;
  /**
   * Inserts all rows but those whose key is there, and returns the `key` of each row that was inserted.
   *
   * @param schema of the table, quoted
   * @param rows a FROM item, `new`, with the columns `key`, those of the row, and `place`: 1, 2 and so on in their order
   */
  readonly postgres: (schema: string, rows: string) => string;
};

/** How a database works for its users. */
export type DatabaseOptions = {
  /** Connections to a database server for writing, and as many for reading. */
  readonly poolSize: number;
  /** How long a write or a read may take. */
  readonly timeoutMs: number;
  /** How much may wait to be written, and how much to be read. */
  readonly queueLimitBytes: number;
  /** Receives each commit: its number of rows and its duration. */
  readonly onCommit?: (rows: number, durationMs: number) => void;
  readonly log: Logger;
};

/** The database cannot be used, for now or at all; the message gives the reason in one line, for operators. */
export class DatabaseUnavailable extends Error {}

/** A text of a statement has U+0000, which PostgreSQL stores neither in text nor in jsonb. */
export class TextNotStorable extends Error {}

/** A statement violates a constraint of the tables. */
export class ConstraintViolated extends Error {
  readonly kind: 'unique' | 'foreign key' | 'check';
  /**
   * The name of the constraint or of the unique index; one without a name has that which PostgreSQL gives it, such as
   * `seats_pkey` and `bookings_seat_key`. `undefined` for foreign keys in SQLite, which does not name them.
   */
  readonly constraint: string | undefined;

  constructor(
    message: string,
    kind: ConstraintViolated['kind'],
    constraint: string | undefined,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.kind = kind;
    this.constraint = constraint;
  }
}

/** Formats the name of an application as an identifier of SQL. */
export function identifierOf(name: string): string {
  return name.replaceAll(' ', '_');
}

/** The number that the four characters of a tag are. */
export function numberOf(tag: string): number {
  return Buffer.from(tag, 'latin1').readInt32BE();
}
