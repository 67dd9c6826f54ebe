import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { CannotCheck } from '@contract-first/model/values';

const BY_SIGNAL = 128; // Shells add the number of the signal.

/**
 * Runs a command to its end, with the URL of the proxy in its environment. A signal to this process reaches it, too.
 *
 * @returns its exit code
 * @throws {CannotCheck} when it cannot be started
 */
export async function runClient(
  [command = '', ...args]: readonly string[],
  url: string,
  signal: AbortSignal,
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, CONTRACT_PROXY_URL: url } });
  signal.addEventListener('abort', () => child.kill());
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      reject(new CannotCheck(`${command} cannot be started: ${error.message}`, { cause: error }));
    });
    child.on('exit', (code, by) => {
      resolve(code ?? BY_SIGNAL + (by === null ? 0 : constants.signals[by]));
    });
  });
}
