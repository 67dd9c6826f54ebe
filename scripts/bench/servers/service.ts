import { readFileSync } from 'node:fs';
import { flushCompileCache } from 'node:module';
import { createApp } from '../../../src/engine/http/app.ts';
import { createTokenVerifier } from '../../../src/engine/auth/token-verifier.ts';
import { readConfig } from '../../../src/engine/process/config.ts';
import type { Contract } from '../../../src/engine/contract/contract.ts';
import type { Request } from '../../../src/plants/contract.ts';
import { createPlant } from '../../../src/plants/create-plant.ts';
import { createLoadShedding } from '../../../src/engine/http/load-shedding.ts';
import type { Observer } from '../../../src/engine/http/observer.ts';
import { createLog } from '../../../src/engine/process/log.ts';
import { createMetrics } from '../../../src/engine/ops/metrics.ts';
import { startServer } from '../../../src/engine/server/server.ts';
import { openBenchStore } from '../store.ts';

// The service as src/service.ts puts it together, but with the store and the contract of the bench, of which every
// operation is createPlant's twin.
const read = await readConfig(process.env);
if ('problems' in read) throw new Error(read.problems.join('\n'));
const { config } = read;
const contract = JSON.parse(readFileSync(process.env['CONTRACT'] ?? '', 'utf8')) as Contract; // The bench has written it.
const log = await createLog(config.logLevel, false);
const metrics = createMetrics();
const observer: Observer = {
  answered(request) {
    log.info(request);
    metrics.answered(request);
  },
  refused: metrics.refused,
};
const store = await openBenchStore(process.env, log);
const handler = (request: Request<'createPlant'>) => createPlant(store, request);
const handlers = Object.fromEntries(Object.keys(contract.operations).map((operationId) => [operationId, handler]));
const tokenVerifier = createTokenVerifier(config.auth, log);
const loadShedding = createLoadShedding(config.loadShedding, log);
const app = createApp({ ...config, contract, handlers, tokenVerifier, loadShedding, observer, log });
const { url } = await startServer(app, { ...config, limits: config.server, observer });
process.send?.({ url });
flushCompileCache();
