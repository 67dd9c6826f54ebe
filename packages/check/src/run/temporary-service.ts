import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { CannotCheck } from '@contract-first/model/values';
import { VARIABLES } from '@contract-first/contract';

/**
 * Starts the service in the working directory on a free port with an empty store. The service inherits the environment
 * and `.env`, without the variables of the engine and the OpenTelemetry SDK.
 *
 * @param given the token that the service accepts; random by default
 * @param others further accepted tokens, one per user; `user:password` needs the service's own authentication
 * @returns the URL, the token, and a function that stops the service and removes the store
 * @throws {CannotCheck} if the service does not start
 */
export async function startTemporaryService(given?: string, others: readonly string[] = []) {
  const entry = resolve('src/main.ts');
  if (!existsSync(entry)) throw new CannotCheck('--url is required: there is no src/main.ts to start');
  const folder = await mkdtemp(join(tmpdir(), 'contract-')).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException; // node:fs throws no other errors.
    throw new CannotCheck(`the temporary folder ${tmpdir()} cannot be written to (${String(code)})`);
  });
  const variables = Object.entries({ ...readEnvFile(), ...process.env });
  const inherited = variables.filter(([name]) => !VARIABLES.includes(name) && !name.startsWith('OTEL_'));
  const random = randomBytes(24).toString('base64url');
  const token = given ?? random;
  const API_TOKENS = [token.includes(':') ? random : token, ...others.filter((other) => !other.includes(':'))].join();
  const settings = { PORT: '0', OPS_PORT: '0', API_TOKENS, DATABASE_URL: `sqlite:${join(folder, 'store.db')}` };
  const service = spawn(process.execPath, [entry], {
    cwd: folder, // Contains no .env file.
    env: { ...Object.fromEntries(inherited), ...settings },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const ended = once(service, 'close');
  const stop = async (): Promise<void> => {
    service.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  const errors: string[] = [];
  service.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const message = await Promise.race([once(service, 'message'), ended.then(() => undefined)]);
  if (message === undefined) {
    await stop();
    throw new CannotCheck(`the service did not start: ${errors.join('').trim()}`);
  }
  const [{ url }] = message as [{ readonly url: string }]; // Sent by the engine.
  return { url, token, stop };
}

/** Reads `.env` in the working directory. */
function readEnvFile(): NodeJS.Dict<string> {
  try {
    return existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
  } catch {
    throw new CannotCheck('the file .env cannot be read');
  }
}
