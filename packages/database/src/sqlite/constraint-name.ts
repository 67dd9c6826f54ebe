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
export function findConstraintName(statement: string, columns: readonly string[]): string | undefined {
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
