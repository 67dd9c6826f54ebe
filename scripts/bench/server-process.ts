import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync, truncateSync } from 'node:fs';
import { onCores, type Cores } from './cores.ts';

/** A server in a process of its own. */
export type ServerProcess = {
  readonly url: string;
  /** What it has used so far, with its children and all threads; `undefined` without Linux. */
  readonly usage: () => Usage | undefined;
  /** How many lines of its log are about requests. */
  readonly countLogLines: () => number;
  /** Forgets its log. What it logs meanwhile may be lost. */
  readonly emptyLog: () => void;
  readonly stop: () => Promise<void>;
};

// Only these have a status: `"status":200` or, with Fastify, `"res":{"statusCode":200}`.
const LINE_OF_REQUEST = /"status(?:Code)?":/g;

export type Usage = { readonly cpuMicros: number; readonly peakMegabytes: number };

export type ServerStart = {
  /** A module that sends `{ url }` to its parent once it listens. */
  readonly module: string;
  /** Options of Node. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Where it runs, and where its log goes. */
  readonly folder: string;
  readonly logFile: string;
  readonly cores: Cores | undefined;
};

// What the kernel counts the time of processes in.
const TICK_MICROS = 10_000;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** @throws {Error} when it ends before it listens; it has said why on standard error */
export async function startProcess({ module, options, ...start }: ServerStart): Promise<ServerProcess> {
  const { env, folder, logFile, cores } = start;
  const log = openSync(logFile, 'a');
  const [program, ...args] = onCores(cores?.server, [process.execPath, ...options, module]);
  const child = spawn(program, args, {
    cwd: folder, // There is no .env.
    env: { ...process.env, ...env },
    stdio: ['ignore', log, 'inherit', 'ipc'],
  });
  closeSync(log);
  running.add(child);
  const ended = once(child, 'exit');
  const url = await Promise.race([
    once(child, 'message').then(([message]) => (message as { url: string }).url), // As the module has to.
    ended.then(() => Promise.reject(new Error(`${module} has not started`))),
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
  // From the third field on: the second one, a name in parentheses, may contain anything. Fields 14 to 17 are the time
  // in user and in kernel mode, of the process and of its children that have ended.
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
