import { jest } from '@jest/globals';
import type { Outcome } from './children.ts';

type Command = (args: readonly string[], environment: Readonly<Record<string, string | undefined>>) => Promise<number>;

/** Runs a command in this process as if it were one of its own: in a folder, without a terminal. */
export async function runHere(
  command: Command,
  args: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const printed = { stdout: '', stderr: '' };
  const { isTTY } = process.stdout;
  const before = process.cwd();
  const out = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    printed.stdout += String(chunk);
    return true;
  });
  const errors = jest.spyOn(console, 'error').mockImplementation((message) => {
    printed.stderr += `${String(message)}\n`;
  });
  process.stdout.isTTY = false;
  process.chdir(folder);
  try {
    const code = await command(args, environment);
    return { code, ...printed };
  } finally {
    process.chdir(before);
    process.stdout.isTTY = isTTY;
    out.mockRestore();
    errors.mockRestore();
  }
}
