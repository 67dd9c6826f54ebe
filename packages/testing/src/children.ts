import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { cleanUp } from './cleanup.ts';

export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** A child process, which is killed when the test ends. */
export type Child = {
  readonly process: ChildProcessWithoutNullStreams;
  /** Returns the standard output so far. */
  readonly output: () => string;
  /** Resolves to the exit code and the output when the process ends. Marks the end as expected. */
  readonly outcome: Promise<Outcome>;
};

/** Messages about processes that ended unexpectedly: the test neither killed them nor awaited their outcome. */
const unexpected = new Set<string>();

/** Starts a command. */
export function startChild(
  command: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Child {
  const child = spawn(command, args, options);
  let stdout = '';
  let stderr = '';
  let isEndExpected = false;
  let message = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const closed = once(child, 'close').then(([code]) => {
    if (!isEndExpected && !child.killed) {
      const lines = `${stdout}${stderr}`.trimEnd().split('\n').slice(-20).join('\n');
      message = `${command} ${args.join(' ')} ended with code ${String(code)}:\n${lines}`;
      unexpected.add(message);
    }
    return { code: code as number | null, stdout, stderr };
  });
  cleanUp(() => {
    child.kill('SIGKILL');
    unexpected.delete(message);
  });
  return {
    process: child,
    output: () => stdout,
    get outcome() {
      isEndExpected = true;
      return closed;
    },
  };
}

/** Throws if a process of the test has ended unexpectedly. */
export function assertNoneEnded(): void {
  if (unexpected.size > 0) throw new Error([...unexpected].join('\n'));
}
