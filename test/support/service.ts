import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cleanUp, temporaryDatabase } from './app.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The compile cache of the service, for every command: it halves the CPU time of a start. */
const NODE_COMPILE_CACHE = join(ROOT, 'node_modules/.cache/node');

export type Outcome = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

export type Service = {
  readonly url: string;
  /** The URL of the listener for probes and metrics. */
  readonly opsUrl: string;
  readonly token: string;
  readonly process: ChildProcessWithoutNullStreams;
  /** Returns everything written to standard output so far. */
  readonly output: () => string;
  /** Resolves when standard output contains a text. */
  readonly waitForOutput: (text: string) => Promise<void>;
  /** Resolves to the exit code and the output of the process. */
  readonly outcome: Promise<Outcome>;
};

type Environment = Readonly<Record<string, string>>;

/** Runs a command and waits for its end. */
export function run(command: string, args: readonly string[], env: Environment = {}, cwd = ROOT): Promise<Outcome> {
  return start(command, args, env, cwd).outcome;
}

/** Starts the service on a free port with a new store, and waits until it listens. */
export async function startService(
  env: Environment = {},
  command: readonly string[] = ['node', 'src/main.ts'],
  cwd = ROOT,
): Promise<Service> {
  const [program = '', ...args] = command;
  const defaults = {
    PORT: '0',
    API_TOKENS: 'test-token',
    DATABASE_URL: temporaryDatabase(),
  };
  const { process, output, outcome } = start(program, args, { ...defaults, ...env }, cwd);
  let ended = false;
  void outcome.then(() => (ended = true));
  const waitForOutput = async (text: string): Promise<void> => {
    while (!output().includes(text)) {
      if (ended) throw new Error(`the service ended: ${JSON.stringify(await outcome)}`);
      await Promise.race([once(process.stdout, 'data'), outcome]);
    }
  };
  // In development, the banner is printed in one piece; in production, a line of the log.
  await waitForOutput('http://');
  const [url = ''] = /http:\/\/[^\s"]+/.exec(output()) ?? [];
  const [, opsUrl = ''] = /(?:"opsUrl":"|^Operations +)([^\s"]+)/m.exec(output()) ?? [];
  return { url, opsUrl, token: 'test-token', process, output, waitForOutput, outcome };
}

/** Starts a command, which runs at most until the test ends. */
export function start(command: string, args: readonly string[], env: Environment, cwd = ROOT) {
  const child = spawn(command, args, {
    cwd,
    env: { ...cleanEnvironment(process.env), NODE_COMPILE_CACHE, OPS_PORT: '0', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const outcome = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  cleanUp(() => {
    child.kill('SIGKILL');
  });
  return { process: child, output: () => stdout, outcome };
}

/** Returns the environment without the service's variables and those that Jest sets for Node. */
function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names =
    /^(?:(?:OPS_)?(?:PORT|HOST)|TRUST_PROXY|(?:CORS|OTEL|RATE_LIMIT)_\w+|REUSE_PORT|API_TOKENS(?:_FILE)?|JWT_\w+|DATABASE_URL|DATABASE_POOL_SIZE|NODE_ENV|NODE_OPTIONS|LOG_LEVEL|DOCS|(?:CONNECTION|IN_FLIGHT)_LIMIT|.*_(?:BYTES|MS))$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.test(name)));
}
