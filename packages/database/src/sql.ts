import { assertAllowed } from './refused-statements.ts';

/** A value of a parameter or a column. Integers are bigints in both databases. */
export type Value = string | bigint | number | Uint8Array | null;

/** The database for which a statement is compiled. */
export type Dialect = {
  readonly engine: 'sqlite' | 'postgres';
  /** The quoted schema of the tables; `undefined` for SQLite. */
  readonly schema?: string;
};

/** A compiled statement: its text with placeholders, and a value for each placeholder. */
export type Statement = { readonly text: string; readonly values: readonly Value[] };

/** A statement or a part of a statement, for both databases. `Row` is the declared type of its rows. */
export type Query<Row = unknown> = {
  /** Returns the SQL text for a database, and appends the values of its placeholders to `values`. */
  readonly write: (dialect: Dialect, values: Value[]) => string;
  readonly row?: Row;
};

/** The message for a query passed to `read` that would write. */
export const NOT_A_READ = 'a query of `read` must not change anything: use `write` or `transaction`';

/** Creates a query from a template. Interpolated values become parameters; interpolated queries are inserted. */
export function sql<Row = unknown>(strings: TemplateStringsArray, ...parts: readonly (Value | Query)[]): Query<Row> {
  return {
    write(dialect, values) {
      let text = strings[0] ?? '';
      parts.forEach((part, index) => {
        text += (isQuery(part) ? part.write(dialect, values) : placeholder(part)) + (strings[index + 1] ?? '');
      });
      return text;

      function placeholder(value: Value): string {
        values.push(value);
        return dialect.engine === 'sqlite' ? '?' : `$${String(values.length)}`;
      }
    },
  };
}

/** Returns the name of an application's table, qualified with its schema. */
export function table(name: string): Query {
  return { write: ({ schema }) => (schema === undefined ? name : `${schema}.${name}`) };
}

/** Returns a query that differs between the databases. */
export function either<Row>(variants: Readonly<Record<Dialect['engine'], Query<Row>>>): Query<Row> {
  return { write: (dialect, values) => variants[dialect.engine].write(dialect, values) };
}

/**
 * Returns a query that a query builder compiles, such as Kysely or Drizzle.
 *
 * @param build returns a whole statement for the database, with its placeholders, and their values. `schema` is the
 *   schema of the tables, not quoted; `undefined` for SQLite
 */
export function fromBuilder<Row = unknown>(
  build: (
    engine: Dialect['engine'],
    schema: string | undefined,
  ) => { readonly sql: string; readonly parameters: readonly unknown[] },
): Query<Row> {
  return {
    write({ engine, schema }, values) {
      if (values.length > 0) throw new Error('a built statement cannot be a part of a query with earlier values');
      const { sql, parameters } = build(engine, schema?.slice(1, -1).replaceAll('""', '"'));
      values.push(...(parameters as readonly Value[])); // The driver rejects other values.
      return sql;
    },
  };
}

/**
 * Compiles a query for a database.
 *
 * @throws {Error} for a statement that controls transactions, or whose effect outlasts its transaction and would affect
 *   other users of the connection
 */
export function compile(query: Query, dialect: Dialect): Statement {
  const values: Value[] = [];
  const text = query.write(dialect, values);
  assertAllowed(text);
  return { text, values };
}

function isQuery(part: Value | Query): part is Query {
  return typeof part === 'object' && part !== null && 'write' in part;
}

/** The memory of a waiting item besides its data, in bytes; most of it belongs to its request. */
export const ITEM_BYTES = 2_048;

/** Returns the memory size of a statement, in bytes. */
export function sizeOfStatement({ text, values }: Statement): number {
  return 2 * text.length + sizeOfValues(values);
}

/** Returns the memory size of values, in bytes. Counts two bytes for each character of a string. */
export function sizeOfValues(values: readonly unknown[]): number {
  let bytes = 0;
  for (const value of values) {
    if (typeof value === 'string') bytes += 2 * value.length;
    else bytes += value instanceof Uint8Array ? value.length : 8;
  }
  return bytes;
}
