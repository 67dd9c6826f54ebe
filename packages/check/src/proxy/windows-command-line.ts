import { win32 } from 'node:path';

/** Returns the command line for cmd.exe that runs a program or a script, such as `npm`, with exactly these arguments. */
export function windowsCommandLine(command: string, args: readonly string[]): string {
  return [escape(win32.normalize(command)), ...args.map((arg) => escape(quote(arg)))].join(' ');
}

/** Quotes an argument for the program, which reads `\"` as a quote, and `\\` as a backslash before a quote. */
function quote(arg: string): string {
  return `"${arg.replaceAll(/(\\*)"/g, String.raw`$1$1\"`).replace(/\\+$/, '$&$&')}"`;
}

/** Escapes the characters with a meaning for cmd.exe, also within quotes. */
function escape(text: string): string {
  return text.replaceAll(/[()[\]%!^"`<>&|;, *?]/g, '^$&');
}
