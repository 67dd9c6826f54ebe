import { mock } from 'node:test';
import { reportRefusal } from '@contract-first/command-line/terminal';
import type { Outcome } from './children.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Command = (args: readonly string[], environment: Environment) => Promise<number>;
type Listener = (...values: readonly unknown[]) => void;

/** The events to which commands listen until their process ends. */
const LASTING: readonly (readonly [NodeJS.EventEmitter, string])[] = [
  [process, 'uncaughtException'],
  [process.stdout, 'error'],
];

/** Runs a command in this process as if it were one of its own: in a folder, without a terminal. */
export async function runHere(
  command: Command,
  args: readonly string[],
  folder: string,
  environment: Environment = {},
): Promise<Outcome> {
  const printed = { stdout: '', stderr: '' };
  const { isTTY } = process.stdout;
  const before = process.cwd();
  const listeners = LASTING.map(([emitter, event]) => new Set(emitter.listeners(event)));
  const out = mock.method(process.stdout, 'write', (chunk: unknown) => {
    printed.stdout += String(chunk);
    return true;
  });
  const errors = mock.method(console, 'error', (message: unknown) => {
    printed.stderr += `${String(message)}\n`;
  });
  process.stdout.isTTY = false;
  process.chdir(folder);
  try {
    const code = await command(args, environment).catch(reportRefusal);
    return { code, ...printed };
  } finally {
    process.chdir(before);
    process.stdout.isTTY = isTTY;
    out.mock.restore();
    errors.mock.restore();
    for (const [index, [emitter, event]] of LASTING.entries())
      for (const listener of emitter.listeners(event))
        if (!listeners[index]?.has(listener)) emitter.off(event, listener as Listener);
  }
}

/** Runs `contract-first generate` in this process, which takes a fifth of the CPU time of one of its own. */
export async function generateHere(folder: string, ...args: readonly string[]): Promise<Outcome> {
  const { generateCommand } = await import('@contract-first/generate/command'); // Few tests need the generator.
  return runHere(generateCommand, args, folder);
}
