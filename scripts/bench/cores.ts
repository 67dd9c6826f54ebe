import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A core for the server and one for the load, so that neither takes time from the other. */
export type Cores = {
  readonly server: string;
  readonly load: string;
  /** For a database server: the rest, or all if there is none. */
  readonly database: string;
};

/**
 * Puts this process, which makes the load, on a core of its own.
 *
 * @returns `undefined` where that cannot be done: without Linux, `taskset` or a second core
 */
export function divideCores(): Cores | undefined {
  try {
    const allowed = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '';
    const all = allowed.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
    });
    const [server, load, ...rest] = all;
    if (server === undefined || load === undefined) return undefined;
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', load, String(process.pid)]);
    return { server, load, database: (rest.length > 0 ? rest : all).join(',') };
  } catch {
    return undefined;
  }
}

/** The command that runs another one on some cores. */
export function onCores(
  cores: string | undefined,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return cores === undefined ? command : ['taskset', '--cpu-list', cores, ...command];
}
