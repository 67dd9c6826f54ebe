import pino from 'pino';
import { createApp } from '../../src/app.ts';
import { createIdentity } from '../../src/auth/identity.ts';
import { readConfig } from '../../src/config.ts';
import { contract } from '../../src/contract/contract.ts';
import { createHandlers } from '../../src/handlers/handlers.ts';
import { createAdmission } from '../../src/http/admission.ts';
import { startServer } from '../../src/server.ts';
import { openStore } from '../../src/store/open-store.ts';
import { createAutocommit } from './autocommit.ts';

// A process that serves the contract twice, on the store and on one commit for each request: whatever else the machine
// is doing, it does to both.
const read = readConfig({ ...process.env, API_TOKENS: 'bench' });
if ('problems' in read) throw new Error(read.problems.join('\n'));
const { config } = read;
const { location, ...options } = config.store;
const log = pino({ level: 'warn' });
const identity = createIdentity(config.auth, log);
const group = await openStore(location, { ...options, log });
const add = createAutocommit(location, process.env['DATABASE_URL'] ?? '', options.poolSize);
const admission = createAdmission(config.admission, log);
const observer = { answered: () => undefined, refused: () => undefined };
const urls = await Promise.all(
  [group, { ...group, add }].map(async (store) => {
    const app = createApp({ ...config, contract, handlers: createHandlers(store), identity, admission, observer, log });
    return (await startServer(app, { host: '127.0.0.1', port: 0, limits: config.server, observer })).url;
  }),
);
process.send?.(urls);
