const MAX_COLUMNS = 120;

/**
 * Puts each object and list that fits on one line of 120 columns on one, which leaves a third of the lines.
 *
 * @param text JSON as `JSON.stringify` indents it; its numbers keep their digits
 */
export function compactJson(text: string): string {
  /** The lines of each open object or list, with the line that opens it. */
  const open: string[][] = [[]];
  for (const line of text.split('\n')) {
    // A line that ends a text ends with a quote.
    if (/[[{]$/.test(line)) open.push([line]);
    else if (/^ *[\]}]/.test(line)) close(open, line);
    else open.at(-1)?.push(line);
  }
  return (open[0] ?? []).join('\n');
}

function close(open: string[][], last: string): void {
  const [first = '', ...members] = open.pop() ?? [];
  const space = last.includes('}') ? ' ' : '';
  const columns = members.reduce(
    (sum, member) => sum + member.trim().length + 1,
    first.length + last.trim().length + 1,
  );
  const isShort = columns <= MAX_COLUMNS && !members.some((member) => member.includes('\n'));
  const inner = isShort ? members.map((member) => member.trim()).join(' ') : undefined;
  open
    .at(-1)
    ?.push(
      inner === undefined ? [first, ...members, last].join('\n') : `${first}${space}${inner}${space}${last.trim()}`,
    );
}
