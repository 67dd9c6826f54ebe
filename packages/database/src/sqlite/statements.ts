import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DatabaseUnavailable } from '../database.ts';
import { isBlank } from '../refused-statements.ts';
import type { Value } from '../sql.ts';
import { primaryCode, StatementRejected, SQLITE } from './errors.ts';

/**
 * Returns the rows of a statement. Checks the time limit after each row, since a statement can be stopped only between
 * rows.
 *
 * @throws the error that `late` returns, when the statement takes longer than the limit
 */
export function rowsWithin(
  statement: StatementSync,
  values: readonly Value[],
  limitMs: number,
  late: () => Error,
): readonly unknown[] {
  const deadline = performance.now() + limitMs;
  const rows: unknown[] = [];
  for (const row of statement.iterate(...values)) {
    rows.push(row);
    if (performance.now() > deadline) throw late();
  }
  return rows;
}

const MAX_STATEMENTS = 100;

/** A cache of an application's prepared statements. Integers are read as bigints. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Runs work with a prepared statement. @throws {StatementRejected} when the statement is invalid */
  use<Result>(text: string, work: (statement: StatementSync) => Result): Result {
    try {
      return work(this.#prepare(text));
    } catch (error) {
      const isMistake = primaryCode(error) === SQLITE.ERROR || primaryCode(error) === 0;
      if (!isMistake || error instanceof DatabaseUnavailable) throw error;
      throw new StatementRejected((error as Error).message, { cause: error });
    }
  }

  #prepare(text: string): StatementSync {
    const cached = this.#prepared.get(text);
    if (cached !== undefined) return cached;
    const statement = prepare(this.#database, text);
    if (this.#prepared.size === MAX_STATEMENTS) this.#prepared.clear();
    this.#prepared.set(text, statement);
    return statement;
  }
}

/**
 * Prepares a statement whose integers are read as bigints.
 *
 * @throws {StatementRejected} for several statements in a text
 */
export function prepare(database: DatabaseSync, text: string): StatementSync {
  const statement = database.prepare(text);
  // SQLite ignores the text after the first statement.
  if (!isBlank(text.slice(statement.sourceSQL.length))) {
    throw new StatementRejected('several statements in one text are not allowed');
  }
  statement.setReadBigInts(true);
  return statement;
}
