import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installedModules, NO_PROGRAMS } from '@contract-first/testing/packed.ts';

/** The steps from a document to a tested service. Each step requires the previous step. */
export const STEPS = ['init', 'typecheck', 'start', 'test', 'contract'] as const;
export type Step = (typeof STEPS)[number];

/** The result and the cost of creating a service from a document. */
export type Trial = {
  readonly name: string;
  /** The failed step with the reason. */
  readonly failed?: { readonly step: Step; readonly reason: string };
  readonly costs: Partial<Costs>;
};

export type Costs = {
  readonly operations: number;
  readonly initMs: number;
  readonly initMegabytes: number;
  /** The time of a second run, which changes nothing. */
  readonly generateMs: number;
  readonly generateMegabytes: number;
  /** The start time of the service in production. */
  readonly startMs: number;
  /** The maximum CPU time for which a first request to an operation blocked the event loop. */
  readonly firstRequestMs: number;
  readonly testMs: number;
};

const BIN = fileURLToPath(new URL('../bin.js', import.meta.url));
const FIRST_REQUESTS = fileURLToPath(new URL('first-requests.ts', import.meta.url));
const TIME_LIMIT_MS = 240_000;

/**
 * Creates a service from a document in a temporary folder, with the packed packages. Stops at the first failed step.
 */
export async function tryDocument(path: string, name: string, last: Step): Promise<Trial> {
  const folder = mkdtempSync(join(tmpdir(), 'corpus-'));
  try {
    // Links the packages, which is fast.
    symlinkSync(await installedModules(), join(folder, 'node_modules'));
    let costs: Partial<Costs> = {};
    for (const step of STEPS.slice(0, STEPS.indexOf(last) + 1)) {
      const { reason, ...cost } = await take[step](folder, path);
      costs = { ...costs, ...cost };
      if (reason !== undefined) return { name, failed: { step, reason }, costs };
    }
    return { name, costs };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

type Result = Partial<Costs> & { readonly reason?: string };

const take: Readonly<Record<Step, (folder: string, path: string) => Promise<Result>>> = {
  async init(folder, path) {
    const first = await run(folder, [BIN, 'init', path, '.']);
    const costs = { initMs: first.ms, initMegabytes: first.megabytes };
    if (first.reason !== undefined) return { ...costs, reason: first.reason };
    const again = await run(folder, [COMMAND, 'generate', '--check']);
    return { ...costs, generateMs: again.ms, generateMegabytes: again.megabytes, ...reasonOf(again) };
  },
  typecheck: async (folder) => reasonOf(await run(folder, ['node_modules/typescript/bin/tsc'])),
  async start(folder) {
    const started = await run(folder, [FIRST_REQUESTS]);
    if (started.reason !== undefined) return reasonOf(started);
    // Printed by first-requests.ts.
    return JSON.parse(started.output.trim().split('\n').at(-1) ?? '') as Partial<Costs>;
  },
  async test(folder) {
    const tested = await run(folder, ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js']);
    return { testMs: tested.ms, ...reasonOf(tested) };
  },
  async contract(folder) {
    const mock = spawn(process.execPath, [COMMAND, 'mock'], {
      cwd: folder,
      env: { ...process.env, PORT: '0', OPS_PORT: '0', API_TOKENS: TOKEN, LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = once(mock, 'close');
    try {
      const message = await Promise.race([once(mock, 'message'), ended.then(() => undefined)]);
      if (message === undefined) return { reason: 'the mock did not start' };
      const [{ url }] = message as [{ readonly url: string }]; // Sent by the engine.
      const args = ['openapi.yaml', '--url', url, '--token', TOKEN, '--runs', '10', '--seed', '1'];
      return reasonOf(await run(folder, [COMMAND, 'check', ...args]));
    } finally {
      mock.kill();
      await ended;
    }
  },
};

const TOKEN = 'corpus-token';
// The installed packed command.
const COMMAND = 'node_modules/contract-first/bin.js';

// A module that prints the peak memory of the process, once and not per thread, on standard error at exit.
const PRINT_PEAK = `data:text/javascript,${encodeURIComponent(
  `import { isMainThread } from 'node:worker_threads';
   if (isMainThread) process.on('exit', () => console.error('peak ' + process.resourceUsage().maxRSS));`,
)}`;

type Outcome = { readonly output: string; readonly ms: number; readonly megabytes: number; readonly reason?: string };

/** Runs a module in a folder, with a time limit. */
async function run(folder: string, args: readonly string[]): Promise<Outcome> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', PRINT_PEAK, ...args], {
    cwd: folder,
    env: { ...process.env, ...NO_PROGRAMS },
    timeout: TIME_LIMIT_MS,
  });
  let output = '';
  const collect = (chunk: Buffer): void => void (output += chunk.toString());
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const [code] = (await once(child, 'close')) as [number | null]; // As documented by Node.
  const megabytes = Number(/^peak (\d+)$/m.exec(output)?.[1] ?? NaN) / 1024;
  const outcome = { output: output.replace(/^peak \d+\n/m, ''), ms: performance.now() - startedAt, megabytes };
  if (code === 0) return outcome;
  return { ...outcome, reason: code === null ? 'took too long' : firstError(outcome.output) };
}

function reasonOf({ reason }: Outcome): { readonly reason?: string } {
  return reason === undefined ? {} : { reason };
}

function firstError(output: string): string {
  const lines = output.split('\n').filter((line) => line !== '' && !line.includes('warn'));
  return (lines.find((line) => /error|●|FAIL|incomplete/.test(line)) ?? lines[0] ?? 'no output').slice(0, 300);
}
