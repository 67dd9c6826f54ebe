import { existsSync } from 'node:fs';
import { createApp, MissingHandlers } from './app.ts';
import { createIdentity } from './auth/identity.ts';
import { readConfig } from './config.ts';
import { contract } from './contract/contract.ts';
import { exampleCurl } from './contract/example.ts';
import { DocsUnavailable, openDocs } from './docs/docs.ts';
import { createHandlers } from './handlers/handlers.ts';
import { createAdmission } from './http/admission.ts';
import type { Observer } from './http/observer.ts';
import { createLog } from './log.ts';
import { createMetrics } from './ops/metrics.ts';
import { startOpsServer } from './ops/ops-server.ts';
import { startServer } from './server.ts';
import { describeLocation, openStore } from './store/open-store.ts';
import { StoreUnavailable } from './store/plant-store.ts';

// Through npm, one Ctrl-C comes as two signals.
const SAME_SIGNAL_MS = 1_000;
// How long the store may take to let go, once the requests had their time. It may wait for a database that hangs.
const CLOSING_MS = 2_000;

// Why a start fails, where somebody can mend it.
const MENDABLE = [StoreUnavailable, MissingHandlers, DocsUnavailable];

// The composition root, and the only module of the service that touches the process.
try {
  if (existsSync('.env')) process.loadEnvFile();
} catch {
  refuse('the file .env cannot be read');
}
const read = readConfig(process.env);
if ('problems' in read) refuse(...read.problems);
const { config } = read;
const { host, port, ops: opsAddress } = config;

let phase: 'starting' | 'serving' | 'stopping' = 'starting';
let stoppingSince = Infinity;
const log = await createLog(config.logLevel, process.stdout.isTTY);
const metrics = createMetrics();
const observer: Observer = {
  answered(request) {
    log.info(request);
    metrics.answered(request);
  },
  refused: metrics.refused,
};
const store = await orRefuse(() =>
  openStore(config.store.location, { ...config.store, onCommit: metrics.committed, log }),
);
const ops = await orRefuse(() => startOpsServer({ ...opsAddress, unreadiness, metrics }), opsAddress);
const identity = createIdentity(config.auth, log);
const admission = createAdmission(config.admission, log);
const handlers = createHandlers(store);
const docs = await orRefuse(() => openDocs(config.docsPage, contract));
const app = await orRefuse(() =>
  createApp({ ...config, contract, handlers, identity, admission, docs, observer, log }),
);
const server = await orRefuse(() => startServer(app, { host, port, limits: config.server, observer }), config);
metrics.gauge('http_requests_in_flight', 'Requests that are being handled.', admission.inFlight);
metrics.gauge('http_connections', 'Open connections.', server.connectionCount);

phase = 'serving';
process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
process.on('uncaughtException', (error) => {
  // Nobody knows what state this has left things in.
  log.fatal({ err: error }, 'uncaught error');
  process.exitCode = 1;
  shutDown();
});
if (config.madeUpToken === undefined) log.info({ url: server.url, opsUrl: ops.url }, 'listening');
else introduce(config.madeUpToken);
// `npm run dev` listens for this, to keep the address and the token when it starts the service again.
process.send?.({ url: server.url, madeUpToken: config.madeUpToken });

function introduce(token: string): void {
  const docsLine = docs === undefined ? '' : `\nDocs page     ${server.url}/docs`;
  console.log(`
Plant store   ${server.url}${docsLine}
Database      ${describeLocation(config.store.location)}
Operations    ${ops.url}   (/livez, /readyz, /metrics)
Token         ${token}   (made up for this run; set API_TOKENS to choose)

Try it:

${exampleCurl(contract, server.url, token)}
`);
}

/** Why nobody should send requests here now, if so. */
async function unreadiness(): Promise<string | undefined> {
  if (phase !== 'serving') return phase;
  try {
    await store.check();
    return undefined;
  } catch (error) {
    if (error instanceof StoreUnavailable) return error.message;
    throw error;
  }
}

function onSignal(signal: NodeJS.Signals): void {
  if (phase === 'serving') {
    shutDown();
    log.info({ signal }, 'stopping'); // Whoever reads this finds nobody listening.
  } else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) {
    process.exit(1);
  }
}

function shutDown(): void {
  if (phase === 'stopping') return;
  phase = 'stopping';
  stoppingSince = performance.now();
  setTimeout(() => process.exit(1), config.shutdownGraceMs + CLOSING_MS).unref();
  void server.stop(config.shutdownGraceMs).then(async (inTime) => {
    await store.close();
    await ops.close();
    log.info({ inTime }, 'stopped');
    if (!inTime) process.exitCode = 1;
  });
}

/** Runs a step of the start. What fails for a reason that somebody can mend is told in a line. */
async function orRefuse<Result>(
  start: () => Result | Promise<Result>,
  address?: { readonly host: string; readonly port: number },
): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    if (MENDABLE.some((kind) => error instanceof kind)) return refuse((error as Error).message);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (address === undefined || syscall === undefined) throw error;
    const reason =
      code === 'EADDRINUSE' ? 'the port is in use' : `${syscall} failed with ${code ?? 'an unknown error'}`;
    return refuse(`cannot listen on ${address.host}:${String(address.port)}: ${reason}`);
  }
}

function refuse(...problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
