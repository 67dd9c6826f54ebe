// Compares quoted output: `…` matches any text within a line or, alone on a line, any number of lines. The ports 3000
// and 3001 match any port, since services run on free ports. Leading and trailing blank lines are ignored.

/** Returns whether an output matches the quoted output. @param begins accepts additional output at the end */
export function matchesQuote(quoted: readonly string[], output: string, begins = false): boolean {
  const pattern = quoted.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${lineSource(line)}\\n`)).join('');
  const compared = output.replace(/^\n+/, '').replace(/\n*$/, output.trim() === '' ? '' : '\n');
  return new RegExp(`^${pattern}${begins ? '' : '$'}`).test(compared);
}

/** Returns the index of the first quoted line that does not match; the number of lines if the output has more lines. */
export function firstDifference(quoted: readonly string[], output: string): number {
  const index = quoted.findIndex((_, at) => !matchesQuote(quoted.slice(0, at + 1), output, true));
  return index === -1 ? quoted.length : index;
}

/** Replaces a command that contains `…` with the matching line of an earlier output. */
export function complete(command: string, printed: string): string {
  if (!command.includes('…')) return command;
  const [line] = new RegExp(`^${lineSource(command)}$`, 'm').exec(printed) ?? [];
  if (line === undefined) throw new Error(`no earlier output has the line ${command}`);
  return line;
}

function lineSource(line: string): string {
  return line
    .replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
    .replaceAll('…', '.*')
    .replaceAll(/:300[01]\b/g, ':\\d+');
}
