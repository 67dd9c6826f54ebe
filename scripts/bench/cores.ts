import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A core for the server and one for the load, so that neither takes time from the other. */
export type Cores = { readonly server: string; readonly load: string };

/**
 * Puts this process, which makes the load, on a core of its own.
 *
 * @returns `undefined` where that cannot be done: without Linux, `taskset` or a second core
 */
export function divideCores(): Cores | undefined {
  try {
    const allowed = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '';
    const [server, load] = allowed.split(',').flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => String(first + index));
    });
    if (server === undefined || load === undefined) return undefined;
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', load, String(process.pid)]);
    return { server, load };
  } catch {
    return undefined;
  }
}
