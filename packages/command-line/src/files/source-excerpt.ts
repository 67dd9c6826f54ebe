import { readFileSync } from 'node:fs';

const MAX_COLUMNS = 100;

/**
 * Adds an excerpt of the source to an error that names a place: the line, its neighbours, and a mark at the column.
 * Returns other lines unchanged.
 *
 * @param problem a line such as `openapi.yaml:3:5 #/paths  error: …`
 */
export function withExcerpt(problem: string): string {
  const [, file = '', lineText, columnText] = /^(.+?):(\d+):(\d+) .* error: /.exec(problem) ?? [];
  const [line, column] = [Number(lineText), Number(columnText)];
  const lines = sourceLines(file);
  if (!(line > 0) || lines === undefined || column > MAX_COLUMNS) return problem;
  const width = String(line + 1).length;
  const excerpt = [line - 1, line, line + 1].flatMap((number) => {
    const text = lines[number - 1];
    if (text === undefined) return [];
    const shown = `  ${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text.slice(0, MAX_COLUMNS)}`;
    return number === line ? [shown, `    ${' '.repeat(width)} | ${' '.repeat(column - 1)}^`] : [shown];
  });
  return [problem, ...excerpt.map((shown) => shown.trimEnd())].join('\n');
}

/** Returns the lines of a file; `undefined` if it cannot be read, such as a file of another revision. */
function sourceLines(file: string): readonly string[] | undefined {
  try {
    return file === '' ? undefined : readFileSync(file, 'utf8').trimEnd().split(/\r?\n/);
  } catch {
    return undefined;
  }
}
