// How quoted output is compared: `…` stands for any text within a line, alone on a line for any number of lines, and the
// ports 3000 and 3001 for any port, since services run on free ones. Blank lines at both ends do not count.

/** Checks whether an output is the quoted one. `begins` accepts more output after it. */
export function matches(quoted: readonly string[], output: string, begins = false): boolean {
  const pattern = quoted.map((line) => (line === '…' ? '(?:.*\\n)*?' : `${lineSource(line)}\\n`)).join('');
  const compared = output.replace(/^\n+/, '').replace(/\n*$/, output.trim() === '' ? '' : '\n');
  return new RegExp(`^${pattern}${begins ? '' : '$'}`).test(compared);
}

/** Returns the index of the first quoted line that the output does not have; the number of lines when it has more. */
export function firstDifference(quoted: readonly string[], output: string): number {
  const index = quoted.findIndex((_, at) => !matches(quoted.slice(0, at + 1), output, true));
  return index === -1 ? quoted.length : index;
}

/** Replaces a command that contains `…` by the line that was printed for it. */
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
