import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageJson from '../../package.json' with { type: 'json' };
import type { WrittenContract } from './contract.ts';
import type { Cores } from './cores.ts';
import { startProcess, type ServerProcess } from './server-process.ts';
import type { Keeping } from './store.ts';
import { verify } from './verify.ts';

/** What stays the same throughout a run of the bench. */
export type Bench = {
  /** For databases. On a disk, or a commit would cost nothing. */
  readonly folder: string;
  /** For the logs, in memory where that is possible: on the disk they would be in the way of the commits. */
  readonly logFolder: string;
  readonly cores: Cores | undefined;
  readonly rounds: number;
  /** How long a server is under load in a round. */
  readonly seconds: number;
};

const MODULES = {
  service: 'servers/service.ts',
  'node:http': 'servers/node-http.ts',
  fastify: 'servers/fastify.ts',
  'fastify-openapi-glue': 'servers/fastify-openapi-glue.ts',
  stock: 'servers/stock.ts',
};
export type ServerName = keyof typeof MODULES;
/** What the service is measured against. */
export const PEERS = ['node:http', 'fastify', 'fastify-openapi-glue', 'stock'] as const;

/** A server to be measured. */
export type Setup = {
  readonly server: ServerName;
  readonly contract: WrittenContract;
  readonly keeping: Keeping;
  /** Where plants are kept; by default in a new SQLite database. */
  readonly databaseUrl?: string | undefined;
};

/** A server that listens. */
export type RunningServer = ServerProcess & {
  /** What it is called in the report. */
  readonly name: string;
  /** The URL of the operation that is measured. */
  readonly target: string;
  readonly databaseUrl: string | undefined;
};

export const TOKEN = 'bench-token';

let started = 0;

/** The options of Node in `exec node --option src/main.ts`. */
function optionsOf(command: string): readonly string[] {
  return command.split(' ').filter((word) => word.startsWith('--'));
}

/** Starts a server. With a store, the service is its own src/main.ts, as in production. */
export async function startServer(bench: Bench, setup: Setup): Promise<RunningServer> {
  started += 1;
  const { server, contract, keeping } = setup;
  const { databaseUrl = `sqlite:${join(bench.folder, `${String(started)}.db`)}` } = setup;
  const isMain = server === 'service' && keeping !== 'none';
  const module = isMain ? '../../src/main.ts' : MODULES[server];
  const listening = await startProcess({
    module: fileURLToPath(new URL(module, import.meta.url)),
    options: server === 'service' ? optionsOf(packageJson.scripts.start) : [],
    env: {
      ...contract.env,
      // What src/main.ts sees to by itself.
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

/** Starts servers and verifies each of them. */
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
