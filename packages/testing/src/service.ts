import { once } from 'node:events';
import { delimiter, dirname, join } from 'node:path';
import { temporaryDatabase } from './cleanup.ts';
import { startChild, type Child, type Outcome } from './children.ts';
import { APPLICATIONS, EXAMPLES, FIXTURE, ROOT } from './root.ts';

// `node` must be the Node that runs the tests, even if the tests are not started by npm.
const PATH = [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter);

export { APPLICATIONS, EXAMPLES, FIXTURE, ROOT, type Outcome };

export type ServiceProcess = Child & {
  readonly url: string;
  /** The URL of the listener for probes and metrics. */
  readonly opsUrl: string;
  readonly token: string;
  /** Resolves when standard output contains a text. */
  readonly waitForOutput: (text: string) => Promise<void>;
};

type Environment = Readonly<Record<string, string>>;

/** Runs a command, by default in the folder of the guest book, and waits for its end. */
export function runProcess(
  command: string,
  args: readonly string[],
  env: Environment = {},
  cwd = FIXTURE,
): Promise<Outcome> {
  return start(command, args, env, cwd).outcome;
}

/** Starts a service, by default the guest book, on a free port with a new store, and waits until it listens. */
export async function startServiceProcess(
  env: Environment = {},
  command: readonly string[] = ['node', 'src/main.ts'],
  cwd = FIXTURE,
): Promise<ServiceProcess> {
  const [program = '', ...args] = command;
  const defaults = {
    PORT: '0',
    API_TOKENS: 'test-token',
    DATABASE_URL: temporaryDatabase(),
    EVENT_LOOP_DELAY_LIMIT_MS: '60000', // High, since a busy machine delays the event loop.
  };
  const child = start(program, args, { ...defaults, ...env }, cwd);
  const { process, output } = child;
  const closed = once(process.stdout, 'close');
  const waitForOutput = async (text: string): Promise<void> => {
    while (!output().includes(text)) {
      if (process.stdout.closed) throw new Error(`the service ended: ${JSON.stringify(await child.outcome)}`);
      await Promise.race([once(process.stdout, 'data'), closed]);
    }
  };
  // The banner in development, and the log line in production, are printed in one piece.
  await waitForOutput('http://');
  const [url = ''] = /http:\/\/[^\s"]+/.exec(output()) ?? [];
  const [, opsUrl = ''] = /(?:"opsUrl":"|^Operations +)([^\s"]+)/m.exec(output()) ?? [];
  return Object.assign(child, { url, opsUrl, token: 'test-token', waitForOutput });
}

/** Starts a command. Kills it when the test ends. */
export function start(command: string, args: readonly string[], env: Environment, cwd = FIXTURE): Child {
  return startChild(command, args, {
    cwd,
    env: { ...cleanEnvironment(process.env), PATH, OPS_PORT: '0', ...env },
  });
}

/** Returns the environment without the variables of the service, and without Jest's variables for Node. */
function cleanEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names =
    /^(?:(?:OPS_)?(?:PORT|HOST)|TRUST_PROXY|PUBLIC_URL|VALIDATE_RESPONSES|COMPRESS_RESPONSES|DECOMPRESS_REQUESTS|(?:CORS|OTEL|RATE_LIMIT)_\w+|REUSE_PORT|API_TOKENS(?:_FILE)?|JWT_\w+|DATABASE_URL|DATABASE_POOL_SIZE|NODE_ENV|NODE_OPTIONS|LOG_LEVEL|DOCS|(?:CONNECTION|IN_FLIGHT)_LIMIT|.*_(?:BYTES|MS))$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.test(name)));
}
