import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';

/** The message that the engine sends when the service listens. */
type Listening = { readonly url: string; readonly developmentToken?: string };

// Short, because a restart should not wait for idle connections. Most pending requests finish in this time.
const GRACE_MS = 50;
// The packed package is JavaScript.
const EXIT_WITH_PARENT = new URL(`./exit-with-parent${extname(import.meta.url)}`, import.meta.url).href;
// A handler in an endless loop blocks the SIGTERM listener.
const KILL_AFTER_MS = 500;

// The same cache as that of `run`, which enables it too late for itself and for modules imported before it.
const NODE_COMPILE_CACHE = 'node_modules/.cache/node';

/**
 * Creates the service as a child process, without starting it. An unexpected exit is reported; the next restart starts it
 * again.
 *
 * @param nodeOptions options of Node for the process, such as `--inspect`
 * @returns `restart` replaces the running process by a new one with the same port and development token, which prints no
 * banner; `stop` resolves when it has exited
 */
export function createService(nodeOptions: readonly string[]) {
  let running: ChildProcess | undefined;
  let keptSettings: NodeJS.ProcessEnv = {};

  return {
    restart: async (): Promise<void> => {
      await stop();
      start();
    },
    stop,
  };

  function start(): void {
    const restarted = 'PORT' in keptSettings ? ['--restarted'] : [];
    const options = [...nodeOptions, '--import', EXIT_WITH_PARENT];
    const child = spawn(process.execPath, [...options, 'src/main.ts', ...restarted], {
      env: {
        NODE_COMPILE_CACHE, // The environment may override it.
        ...process.env,
        ...keptSettings,
        NODE_ENV: 'development',
        SHUTDOWN_GRACE_MS: String(GRACE_MS),
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    running = child;
    child.once('message', (message) => {
      const { url, developmentToken } = message as Listening; // Only the engine uses this channel.
      keptSettings = {
        ...keptSettings,
        PORT: new URL(url).port,
        ...(developmentToken !== undefined && { API_TOKENS: developmentToken }),
      };
    });
    child.once('exit', (code, signal) => {
      if (running !== child) return;
      running = undefined;
      console.error(`the service exited with ${signal ?? `code ${String(code)}`}; it restarts after the next change`);
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
