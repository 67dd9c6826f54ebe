import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import type { Contract } from '@contract-first/contract';
import { readConfig } from '../../src/process/config.ts';
import { createLog } from '../../src/process/log.ts';
import { startService } from '../../src/create-service.ts';
import type { Request } from '@contract-first/testing/fixture/src/guests/contract.ts';
import { createGuest } from '@contract-first/testing/fixture/src/guests/create-guest.ts';
import { application } from '@contract-first/testing/fixture/src/service.ts';
import { openBenchStore } from '../store.ts';

// The service with the benchmark's store and contract, in which every operation is a copy of createGuest.
const read = await readConfig(process.env, application.database);
if ('problems' in read) throw new Error(read.problems.join('\n'));
const { config } = read;
const contract = JSON.parse(readFileSync(process.env['CONTRACT'] ?? '', 'utf8')) as Contract;
const log = await createLog(config.logLevel, false);
const store = await openBenchStore(process.env, log);
const handler = (request: Request<'createGuest'>) => createGuest(store, request);
const handlers = Object.fromEntries(Object.keys(contract.operations).map((operationId) => [operationId, handler]));
const nothing = () => Promise.resolve();
const open = () => Promise.resolve({ handlers, checkers: {}, check: nothing, close: nothing });
const { url } = await startService([{ application: { ...application, contract, open }, config }], config, log);
process.send?.({ url });
flushCompileCache();
