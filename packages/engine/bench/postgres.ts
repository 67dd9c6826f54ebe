import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  asServerUser,
  createFolder,
  freePort,
  initialise,
  PASSWORD,
  USER,
} from '@contract-first/testing/postgres-programs.ts';
import { onCores, type Cores } from './cores.ts';

/** Starts a temporary PostgreSQL server with default settings. */
export async function startPostgres(
  cores: Cores | undefined,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const folder = createFolder();
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  const data = join(folder, 'data');
  initialise(folder, data);
  const port = String(await freePort());
  const postgres = join(folder, 'native/bin/postgres');
  const options = ['-D', data, '-c', `port=${port}`, '-c', 'unix_socket_directories='];
  const [program, ...args] = onCores(cores?.database, [postgres, ...options]);
  const server = spawn(program, args, { ...asServerUser(folder), stdio: 'ignore' });
  const kill = (): void => {
    server.kill('SIGQUIT');
    remove();
  };
  process.once('exit', kill);
  const ended = once(server, 'exit');
  const url = `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`;
  while (!(await accepts(url))) {
    if (server.exitCode !== null) throw new Error('PostgreSQL did not start');
    await sleep(25);
  }
  return {
    url,
    async stop() {
      process.off('exit', kill);
      server.kill('SIGINT'); // Fast shutdown: terminates connections, but releases shared memory.
      await ended;
      remove();
    },
  };
}

async function accepts(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
