import { mock } from 'node:test';
import { reportRefusal } from '@contract-first/command-line/terminal';
import type { Outcome } from './children.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Command = (args: readonly string[], environment: Environment) => Promise<number | undefined>;
type Listener = (...values: readonly unknown[]) => void;

/** The events to which commands add listeners for the lifetime of the process. */
const LASTING: readonly (readonly [NodeJS.EventEmitter, string])[] = [
  [process, 'uncaughtException'],
  [process.stdout, 'error'],
];

/** Runs a command in this process, in a folder and without a terminal. Simulates a separate process. */
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
    const code = (await command(args, environment).catch(reportRefusal)) ?? null;
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

/** Runs `contract-first generate` in this process, which needs a fifth of the CPU time of a separate process. */
export async function generateHere(folder: string, ...args: readonly string[]): Promise<Outcome> {
  // Loaded on demand, since few tests need it.
  const { generateCommand } = await import('@contract-first/generate/command');
  return runHere(generateCommand, args, folder);
}
