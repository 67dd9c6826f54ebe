import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CannotCheck } from './oracle.ts';

/** The service of this repository, on a store of its own. */
export type TemporaryService = {
  readonly url: string;
  readonly token: string;
  /** Stops it and removes its store. */
  readonly stop: () => Promise<void>;
};

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OURS =
  /^(?:(?:OPS_)?(?:PORT|HOST)|TRUST_PROXY|REUSE_PORT|API_TOKENS(?:_FILE)?|JWT_\w+|DATABASE_(?:URL|POOL_SIZE)|LOG_LEVEL|DOCS|NODE_ENV|(?:CONNECTION|IN_FLIGHT)_LIMIT|.*_(?:BYTES|MS))$/;

/**
 * Starts the service on a free port and an empty store; whatever configures the service of this shell does not count.
 *
 * @throws {CannotCheck} when it does not start
 */
export async function startTemporaryService(): Promise<TemporaryService> {
  const folder = await mkdtemp(join(tmpdir(), 'contract-'));
  const token = randomBytes(24).toString('base64url');
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.test(name)));
  const settings = { PORT: '0', OPS_PORT: '0', API_TOKENS: token, DATABASE_URL: `sqlite:${join(folder, 'plants.db')}` };
  // In the folder of the store, no .env is found.
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
  let complaints = '';
  service.stderr.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const url = await new Promise<string | undefined>((resolve) => {
    service.stdout.setEncoding('utf8').on('data', (text: string) => {
      // After that its log is only drained.
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
  throw new CannotCheck(`the service did not start: ${complaints.trim()}`);
}
