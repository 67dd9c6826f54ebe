import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createIdentity } from '../../src/auth/identity.ts';
import { keepToken } from '../../src/auth/tokens.ts';
import { readStoreConfig } from '../../src/config.ts';
import { contract } from '../../src/contract/contract.ts';
import { createHandlers } from '../../src/handlers/handlers.ts';
import { startServer } from '../../src/server.ts';
import { openStore } from '../../src/store/open-store.ts';
import { openAutocommitStore } from './autocommit-store.ts';

// A process that serves the contract twice, on the store and on one commit for each request: whatever else the machine
// is doing, it does to both.
const read = readStoreConfig(process.env);
if ('problems' in read) throw new Error(read.problems.join('\n'));
const { location, ...options } = read.store;
const log = pino({ level: 'warn' });
const tokens = [keepToken('bench', 'bench')];
const identity = createIdentity({ tokens, tokensFile: undefined, jwt: undefined }, log);
const group = await openStore(location, { ...options, log });
const single = openAutocommitStore(location, process.env['DATABASE_URL'] ?? '', options.poolSize);
const limits = {
  headerLimitBytes: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  keepAliveTimeoutMs: 65_000,
  connectionLimit: 4_000,
};
const urls = await Promise.all(
  [group, single].map(async (store) => {
    const app = createApp({
      contract,
      handlers: createHandlers(store),
      production: true,
      identity,
      bodyLimitBytes: 1_048_576,
      log,
    });
    return (await startServer(app, '127.0.0.1', 0, limits)).url;
  }),
);
process.send?.(urls);
