import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '@contract-first/testing/fixture/package.json' with { type: 'json' };
import { FIXTURE } from '@contract-first/testing/root.ts';
import type { WrittenContract } from './contract.ts';
import type { Cores } from './cores.ts';
import { startProcess, type ServerProcess } from './server-process.ts';
import type { Keeping } from './store.ts';
import { verify } from './verify.ts';

/** The settings of a benchmark run. */
export type Bench = {
  /** The folder for databases, on a disk, since commits in memory cost nothing. */
  readonly folder: string;
  /** The folder for logs, in memory if possible, so that logs do not compete with commits for the disk. */
  readonly logFolder: string;
  readonly cores: Cores | undefined;
  readonly rounds: number;
  /** The duration of the load in each round. */
  readonly seconds: number;
};

const MODULES = {
  service: 'servers/service.ts',
  'node:http': 'servers/node-http.ts',
  fastify: 'fastify/by-hand.js',
  'fastify-openapi-glue': 'fastify/openapi-glue.js',
  stock: 'servers/stock.ts',
};
export type ServerName = keyof typeof MODULES;
/** The servers with which the service is compared. */
export const PEERS = ['node:http', 'fastify', 'fastify-openapi-glue', 'stock'] as const;

/** The configuration of a server. */
export type Setup = {
  readonly server: ServerName;
  readonly contract: WrittenContract;
  readonly keeping: Keeping;
  /** The database for guests; by default a new SQLite database. */
  readonly databaseUrl?: string | undefined;
};

/** A listening server. */
export type RunningServer = ServerProcess & {
  /** The name in the report. */
  readonly name: string;
  /** The URL of the measured operation. */
  readonly target: string;
  readonly databaseUrl: string | undefined;
};

export const TOKEN = 'bench-token';

let started = 0;

/** Returns Node's options in a command such as `node --option src/main.ts`. */
function optionsOf(command: string): readonly string[] {
  return command.split(' ').filter((word) => word.startsWith('--'));
}

/** Starts a server. With a store, the service is started by src/main.ts as in production. */
export async function startServer(bench: Bench, setup: Setup): Promise<RunningServer> {
  started += 1;
  const { server, contract, keeping } = setup;
  const { databaseUrl = `sqlite:${join(bench.folder, `${String(started)}.db`)}` } = setup;
  const isMain = server === 'service' && keeping !== 'none';
  const module = isMain ? join(FIXTURE, 'src/main.ts') : fileURLToPath(new URL(MODULES[server], import.meta.url));
  const listening = await startProcess({
    module,
    options: server === 'service' ? optionsOf(packageJson.scripts.start) : [],
    env: {
      ...contract.env,
      // src/main.ts enables the compile cache itself.
      ...(server === 'service' && !isMain && { NODE_COMPILE_CACHE: join(bench.folder, 'compiled') }),
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: '0',
      OPS_PORT: '0',
      API_TOKENS: TOKEN,
      LOG_LEVEL: 'info',
      KEEPING: keeping,
      DATABASE_URL: databaseUrl,
    },
    folder: bench.folder,
    logFile: join(bench.logFolder, `${String(started)}.log`),
    cores: bench.cores,
  });
  return {
    ...listening,
    name: keeping === 'none' ? server : `${server}, ${keeping}`,
    target: listening.url + contract.path,
    databaseUrl: keeping === 'none' ? undefined : databaseUrl,
  };
}

/** Starts several servers and verifies each of them. */
export async function startVerified(bench: Bench, setups: readonly Setup[]): Promise<readonly RunningServer[]> {
  const servers: RunningServer[] = [];
  for (const setup of setups) {
    const server = await startServer(bench, setup);
    await verify(server, TOKEN);
    console.error(`verified: ${server.name}`);
    servers.push(server);
  }
  return servers;
}
