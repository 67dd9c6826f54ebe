import type { DatabaseSync } from 'node:sqlite';
import { ConstraintViolated } from '../database.ts';

/** SQLite's extended result codes of constraints: https://sqlite.org/rescode.html */
const KINDS: Readonly<Record<number, ConstraintViolated['kind']>> = {
  275: 'check',
  787: 'foreign key',
  1555: 'unique', // a primary key
  2067: 'unique',
  2579: 'unique', // a rowid
};

/** Converts the error of a violated constraint; returns any other error unchanged. */
export function explainConstraint(database: DatabaseSync, error: unknown): unknown {
  const { errcode = 0, message } = error as { readonly errcode?: number; readonly message: string };
  const kind = KINDS[errcode];
  if (kind === undefined) return error;
  const subject = / constraint failed: (.*)$/s.exec(message)?.[1];
  const name = kind === 'unique' && subject !== undefined ? uniqueName(database, subject) : subject;
  return new ConstraintViolated(message, kind, name, { cause: error });
}

const COLUMNS = `SELECT list.name, list.origin, group_concat(info.name, ', ' ORDER BY info.seqno) AS columns
  FROM pragma_index_list(?) AS list, pragma_index_info(list.name) AS info WHERE list."unique" GROUP BY list.name`;

/**
 * Returns the name of a unique constraint.
 *
 * @param subject the index or the columns in SQLite's message: `index 'byName'`, `seats.train, seats.number`
 */
function uniqueName(database: DatabaseSync, subject: string): string {
  const index = /^index '(.*)'$/s.exec(subject)?.[1];
  if (index !== undefined) return index;
  const [table = ''] = subject.split('.');
  const columns = subject.split(', ').map((column) => column.slice(table.length + 1));
  const indexes = database.prepare(COLUMNS).all(table);
  const found = indexes.find((each) => each['columns'] === columns.join(', '));
  if (found?.['origin'] === 'c') return String(found['name']);
  const [created] = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?").all(table);
  // A primary key that is the rowid has no index.
  const unnamed = found?.['origin'] === 'u' ? `${table}_${columns.join('_')}_key` : `${table}_pkey`;
  return findConstraintName(String(created?.['sql']), columns) ?? unnamed;
}

/** Comments, texts, names in quotes or brackets, words, and single characters. */
const TOKEN =
  /--[^\n]*|\/\*[^]*?(?:\*\/|$)|'(?:[^']|'')*'|"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]|[\w$\u0080-\uffff]+|\S/g;

/**
 * Finds the name that a CREATE TABLE statement gives to a unique or primary key constraint. SQLite reports only the
 * columns of such a constraint, and no pragma lists its name.
 *
 * @param statement the CREATE TABLE statement stored in `sqlite_schema`
 * @param columns in the order of the constraint
 * @returns `undefined` if the constraint has no name
 */
function findConstraintName(statement: string, columns: readonly string[]): string | undefined {
  const tokens = (statement.match(TOKEN) ?? []).filter((token) => !/^(?:--|\/\*)/.test(token));
  const wanted = columns.map((column) => column.toLowerCase()).join('\n');
  let depth = 0;
  let column = '';
  for (const [index, token] of tokens.entries()) {
    const isFirst = depth === 1 && ['(', ','].includes(tokens[index - 1] ?? '');
    if (isFirst) column = nameOf(token);
    if (depth === 1 && isWord(token, 'constraint')) {
      const [name = '', ...rest] = tokens.slice(index + 1);
      const found = constrainedColumns(rest, column);
      if (found?.map((each) => each.toLowerCase()).join('\n') === wanted) return nameOf(name);
    }
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
  }
  return undefined;
}

/**
 * Returns the columns of a unique or primary key constraint; `undefined` for other constraints.
 *
 * @param tokens begin with the kind of the constraint
 * @param column the column that has the constraint, unless the constraint lists columns
 */
function constrainedColumns(tokens: readonly string[], column: string): readonly string[] | undefined {
  const [first = '', second = ''] = tokens;
  const isPrimary = isWord(first, 'primary') && isWord(second, 'key');
  if (!isPrimary && !isWord(first, 'unique')) return undefined;
  const list = tokens.slice(isPrimary ? 2 : 1);
  if (list[0] !== '(') return [column];
  // Each name may be followed by COLLATE and a direction.
  const end = list.indexOf(')');
  return list.slice(1, end).flatMap((token, index) => (['(', ','].includes(list[index] ?? '') ? [nameOf(token)] : []));
}

function isWord(token: string, word: string): boolean {
  return token.toLowerCase() === word;
}

/** Returns a name without its quotes. */
function nameOf(token: string): string {
  const [quote = ''] = token;
  if (quote === '[') return token.slice(1, -1);
  return `'"\``.includes(quote) ? token.slice(1, -1).replaceAll(quote + quote, quote) : token;
}
