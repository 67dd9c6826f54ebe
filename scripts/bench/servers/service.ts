import { readFileSync } from 'node:fs';
import pino from 'pino';
import { createApp } from '../../../src/app.ts';
import { createIdentity } from '../../../src/auth/identity.ts';
import { readConfig } from '../../../src/config.ts';
import type { Contract } from '../../../src/contract/contract.ts';
import { createHandlers } from '../../../src/handlers/handlers.ts';
import { startServer } from '../../../src/server.ts';
import { openBenchStore } from '../store.ts';

// The service as src/main.ts puts it together, but with the store and the contract of the bench, of which every
// operation is createPlant's twin.
const read = readConfig(process.env);
if ('problems' in read) throw new Error(read.problems.join('\n'));
const { config } = read;
const contract = JSON.parse(readFileSync(process.env['CONTRACT'] ?? '', 'utf8')) as Contract; // The bench has written it.
const log = pino({ level: config.logLevel }, pino.destination({ sync: true }));
const identity = createIdentity(config.auth, log);
const [handler] = Object.values(createHandlers(await openBenchStore(process.env, log)));
if (handler === undefined) throw new Error('there is no handler');
const handlers = Object.fromEntries(Object.keys(contract.operations).map((operationId) => [operationId, handler]));
const app = createApp({ contract, handlers, identity, log, ...config });
const { url } = await startServer(app, config.host, config.port, config.server);
process.send?.({ url });
