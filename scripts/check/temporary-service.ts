import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotCheck } from './oracle.ts';

/** A running service of this repository with its own store. */
export type TemporaryService = {
  readonly url: string;
  readonly token: string;
  /** Stops the service and removes its store. */
  readonly stop: () => Promise<void>;
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SETTINGS =
  /^(?:(?:OPS_)?(?:PORT|HOST)|TRUST_PROXY|REUSE_PORT|API_TOKENS(?:_FILE)?|JWT_\w+|DATABASE_(?:URL|POOL_SIZE)|LOG_LEVEL|DOCS|NODE_ENV|(?:CONNECTION|IN_FLIGHT)_LIMIT|.*_(?:BYTES|MS))$/;

/**
 * Starts the service on a free port with an empty store. Settings of the service in the environment are ignored.
 *
 * @throws {CannotCheck} when it does not start
 */
export async function startTemporaryService(): Promise<TemporaryService> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  const token = randomBytes(24).toString('base64url');
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !SETTINGS.test(name)));
  const settings = { PORT: '0', OPS_PORT: '0', API_TOKENS: token, DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` };
  // The working directory has no .env file.
  const service = spawn(process.execPath, [join(ROOT, 'src/main.ts')], {
    cwd: folder,
    env: { ...inherited, ...settings },
  });
  const ended = once(service, 'close');
  const stop = async (): Promise<void> => {
    service.kill();
    await ended;
    await rm(folder, { recursive: true, force: true });
  };

  let output = '';
  let errors = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const url = await new Promise<string | undefined>((resolve) => {
    service.stdout.setEncoding('utf8').on('data', (text: string) => {
      // Later log output is read and discarded.
      if (output.length < 10_000) output += text;
      const [address] = /http:\/\/[^\s"]+/.exec(output) ?? [];
      if (address !== undefined) resolve(address);
    });
    void ended.then(() => {
      resolve(undefined);
    });
  });
  if (url !== undefined) return { url, token, stop };
  await stop();
  throw new CannotCheck(`the service did not start: ${errors.trim()}`);
}
