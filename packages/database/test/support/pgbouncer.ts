import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asServerUser, freePort, PASSWORD, USER } from '@contract-first/testing/postgres-programs.ts';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import type { Postgres } from '@contract-first/testing/postgres.ts';

export type PoolMode = 'session' | 'transaction' | 'statement';

export type PgBouncer = {
  /** Returns the URL of a database through the pooler. */
  readonly through: (url: string) => string;
  /** Changes the pool mode at run time. */
  readonly setMode: (mode: PoolMode) => void;
};

/** Starts PgBouncer, a connection pooler, in front of a server, until the test ends. */
export async function startPgBouncer(server: Postgres, mode: PoolMode, settings = ''): Promise<PgBouncer> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const file = join(folder, 'pgbouncer.ini');
  const port = await freePort();
  const setMode = (mode: PoolMode): void => {
    writeFileSync(
      file,
      `[databases]
       * = host=127.0.0.1 port=${String(server.port)} user=${USER} password='${PASSWORD}'
       [pgbouncer]
       listen_addr = 127.0.0.1
       listen_port = ${String(port)}
       unix_socket_dir =
       auth_type = any
       pool_mode = ${mode}
       ${settings}
      `.replace(/^ +/gm, ''),
    );
  };
  setMode(mode);
  const options = asServerUser(folder);
  const env = { ...options.env, PATH: `${options.env.PATH ?? ''}:/usr/sbin` };
  const child = spawn('pgbouncer', [file], { ...options, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  cleanUp(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  while (!(await listens(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer does not start:\n${output}`);
    await sleep(25);
  }
  return {
    through: (url) => url.replace(/:\d+\//, `:${String(port)}/`),
    setMode: (mode) => {
      setMode(mode);
      child.kill('SIGHUP');
    },
  };
}

async function listens(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
