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

/** @param subject the index, or the columns: `index 'byName'`, `seats.train, seats.number` */
function uniqueName(database: DatabaseSync, subject: string): string {
  const index = /^index '(.*)'$/s.exec(subject)?.[1];
  if (index !== undefined) return index;
  const [table = ''] = subject.split('.');
  const columns = subject.split(', ').map((column) => column.slice(table.length + 1));
  const indexes = database.prepare(COLUMNS).all(table);
  const found = indexes.find((each) => each['columns'] === columns.join(', '));
  if (found?.['origin'] === 'c') return String(found['name']);
  // The primary key that is the rowid has no index.
  return found?.['origin'] === 'u' ? `${table}_${columns.join('_')}_key` : `${table}_pkey`;
}
