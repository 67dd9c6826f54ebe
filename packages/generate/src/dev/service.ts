import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';

/** The message that the engine sends once the service listens. */
type Listening = { readonly url: string; readonly developmentToken?: string };

// Short, so that a restart does not wait for idle connections. Most pending requests finish in this time.
const GRACE_MS = 50;
// The extension is `.js` in the packed package.
const EXIT_WITH_PARENT = new URL(`./exit-with-parent${extname(import.meta.url)}`, import.meta.url).href;
// For handlers in an endless loop, which block the SIGTERM listener.
const KILL_AFTER_MS = 500;

// The compile cache of `run`, which itself enables the cache too late for previously imported modules.
const NODE_COMPILE_CACHE = 'node_modules/.cache/node';

/**
 * Creates a service that runs in a child process, without starting it. Reports unexpected exits; the next restart
 * starts the process again.
 *
 * @param nodeOptions the Node options of the process, such as `--inspect`
 * @returns `restart` replaces the process, keeps the port and the development token, and prints no banner; `stop`
 *   resolves after the process has exited
 */
export function createRestartingService(nodeOptions: readonly string[]) {
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
