/** A value that a statement can be given, and that a row can have. Integers are bigint in both databases. */
export type Value = string | bigint | number | Uint8Array | null;

/** The database that a statement is compiled for. */
export type Dialect = {
  readonly engine: 'sqlite' | 'postgres';
  /** The quoted schema of the tables; SQLite has none. */
  readonly schema?: string;
};

/** A compiled statement: its text with placeholders, and a value for each. */
export type Statement = { readonly text: string; readonly values: readonly Value[] };

/** A statement, or a part of one, for both databases. `Row` is the declared type of its rows. */
export type Query<Row = unknown> = {
  /** Returns the text for a database, and appends the values of its placeholders to `values`. */
  readonly write: (dialect: Dialect, values: Value[]) => string;
  readonly row?: Row;
};

const TRANSACTION_CONTROL =
  /^(?:[\s;]|--[^\n]*|\/\*[^]*?\*\/)*(?<command>abort|begin|commit|end|release|rollback|savepoint|start|(?:prepare|set)\s+transaction)\b/i;

/** Writes a query. An interpolated value becomes a parameter, an interpolated query a part of this one. */
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

/** Names a table of the application, in its schema. */
export function table(name: string): Query {
  return { write: ({ schema }) => (schema === undefined ? name : `${schema}.${name}`) };
}

/** Chooses the part of a query in which the databases differ. */
export function either<Row>(variants: Readonly<Record<Dialect['engine'], Query<Row>>>): Query<Row> {
  return { write: (dialect, values) => variants[dialect.engine].write(dialect, values) };
}

/**
 * Compiles a query for a database.
 *
 * @throws {Error} for a statement that begins, divides or ends a transaction: only this package does
 */
export function compile(query: Query, dialect: Dialect): Statement {
  const values: Value[] = [];
  const text = query.write(dialect, values);
  const command = TRANSACTION_CONTROL.exec(text)?.groups?.['command'];
  if (command !== undefined) {
    throw new Error(
      `${command.toUpperCase()} is not allowed in a statement: the function \`transaction\` begins and ends transactions`,
    );
  }
  return { text, values };
}

function isQuery(part: Value | Query): part is Query {
  return typeof part === 'object' && part !== null && 'write' in part;
}
