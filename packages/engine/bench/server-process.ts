import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { onCores, type Cores } from './cores.ts';

/** A server in a child process. */
export type ServerProcess = {
  readonly url: string;
  /** Returns the CPU time and memory of the process and its children; `undefined` on other systems than Linux. */
  readonly usage: () => Usage | undefined;
  /** Returns the number of log lines about requests. */
  readonly countLogLines: () => number;
  /** Truncates the log. Lines that are written at the same time may be lost. */
  readonly emptyLog: () => void;
  readonly stop: () => Promise<void>;
};

// Only log lines of requests have a status: `"status":200` or, with Fastify, `"res":{"statusCode":200}`.
const LINE_OF_REQUEST = /"status(?:Code)?":/g;

type Usage = { readonly cpuMicros: number; readonly peakMegabytes: number };

type ServerStart = {
  /** A module that sends `{ url }` to its parent once it listens. */
  readonly module: string;
  /** Command line options of Node. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The working directory. */
  readonly folder: string;
  readonly logFile: string;
  readonly cores: Cores | undefined;
};

// The unit of CPU time in /proc.
const TICK_MICROS = 10_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * Starts a server and waits until it listens.
 *
 * @throws {Error} when the server exits before it listens; the cause is on standard error
 */
export async function startProcess({ module, options, ...start }: ServerStart): Promise<ServerProcess> {
  const { env, folder, logFile, cores } = start;
  const log = openSync(logFile, 'a');
  const [program, ...args] = onCores(cores?.server, [process.execPath, ...options, module]);
  const child = spawn(program, args, {
    cwd: folder, // A folder without .env.
    env: { ...process.env, ...env },
    stdio: ['ignore', log, 'inherit', 'ipc'],
  });
  closeSync(log);
  running.add(child);
  const ended = once(child, 'exit');
  const url = await Promise.race([
    once(child, 'message').then(([message]) => (message as { url: string }).url), // Every server module sends this.
    ended.then(() => Promise.reject(new Error(`${module} did not start`))),
  ]);
  const { pid = 0 } = child;
  return {
    url,
    usage: () => (process.platform === 'linux' ? usageOf(pid) : undefined),
    countLogLines: () => readFileSync(logFile, 'latin1').match(LINE_OF_REQUEST)?.length ?? 0,
    emptyLog() {
      truncateSync(logFile);
    },
    async stop() {
      running.delete(child);
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${String(pid)}/stat`, 'latin1');
  // Skips two fields, since the second field, a name in parentheses, may contain spaces. Fields 14 to 17 are the user
  // and system time of the process and of its terminated children.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const peak = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${String(pid)}/status`, 'latin1'))?.[1];
  return childrenOf(pid)
    .map(usageOf)
    .reduce(
      (sum, child) => ({
        cpuMicros: sum.cpuMicros + child.cpuMicros,
        peakMegabytes: sum.peakMegabytes + child.peakMegabytes,
      }),
      { cpuMicros: ticks * TICK_MICROS, peakMegabytes: Number(peak) / 1024 },
    );
}

function childrenOf(pid: number): readonly number[] {
  const threads = `/proc/${String(pid)}/task`;
  return readdirSync(threads).flatMap((thread) =>
    (readFileSync(`${threads}/${thread}/children`, 'latin1').match(/\d+/g) ?? []).map(Number),
  );
}
