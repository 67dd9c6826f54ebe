import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Separate cores for the server and the load generator. */
export type Cores = {
  readonly server: string;
  readonly load: string;
  /** The cores of a database server: the remaining cores, or all cores if none remain. */
  readonly database: string;
};

/**
 * Pins this process, which generates the load, to its own core.
 *
 * @returns `undefined` without Linux, `taskset` or a second core
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

/** Prefixes a command so that it is pinned to cores. */
export function onCores(
  cores: string | undefined,
  command: readonly [string, ...string[]],
): readonly [string, ...string[]] {
  return cores === undefined ? command : ['taskset', '--cpu-list', cores, ...command];
}
