import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** The service as a process of its own, while it is being written. */
export type DevelopedService = {
  /** Ends the process that runs and starts a new one, which keeps the port and the token that was made up. */
  readonly restart: () => Promise<void>;
  /** Resolves when the process is gone. */
  readonly stop: () => Promise<void>;
};

/** What src/process.ts sends once it listens. */
type Listening = { readonly url: string; readonly developmentToken?: string };

// Enough for a request under way, and not the usual wait for clients that keep their connection open.
const GRACE_MS = 50;
// A handler in an endless loop does not hear SIGTERM.
const KILL_AFTER_MS = 500;

// As in src/main.ts, but for what is loaded before it, and for itself.
const NODE_COMPILE_CACHE = 'node_modules/.cache/node';

/** Gets the service ready to be started. When it ends by itself, that is told, and the next restart tries again. */
export function createService(): DevelopedService {
  let running: ChildProcess | undefined;
  let kept: NodeJS.ProcessEnv = {};

  return {
    async restart() {
      await stop();
      start();
    },
    stop,
  };

  function start(): void {
    const child = spawn(process.execPath, ['--import', './scripts/dev/exit-with-parent.ts', 'src/main.ts'], {
      env: {
        NODE_COMPILE_CACHE, // Unless the environment has another.
        ...process.env,
        ...kept,
        NODE_ENV: 'development',
        SHUTDOWN_GRACE_MS: String(GRACE_MS),
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    running = child;
    child.once('message', (message) => {
      const { url, developmentToken } = message as Listening; // Only src/process.ts writes to this channel.
      kept = {
        ...kept,
        PORT: new URL(url).port,
        ...(developmentToken !== undefined && { API_TOKENS: developmentToken }),
      };
    });
    child.once('exit', (code, signal) => {
      if (running !== child) return;
      running = undefined;
      console.error(
        `the service ended with ${signal ?? `exit code ${String(code)}`}; it is started after the next change`,
      );
    });
  }

  async function stop(): Promise<void> {
    const child = running;
    if (child === undefined) return;
    running = undefined;
    const timer = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    child.kill('SIGTERM');
    await once(child, 'exit');
    clearTimeout(timer);
  }
}
