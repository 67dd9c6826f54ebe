import { existsSync } from 'node:fs';
import { MissingHandlers } from '../http/app.ts';
import { readConfig } from './config.ts';
import { contract } from '../../plants/contract.ts';
import { exampleCurl } from '../contract/example.ts';
import { DocsUnavailable, openDocs } from '../docs/docs.ts';
import { CannotListen } from '../server/listen.ts';
import { createLog } from './log.ts';
import { createOpsListener, OPS_LIMITS } from '../ops/ops-listener.ts';
import { startServer } from '../server/server.ts';
import { startService } from '../../service.ts';
import { describeLocation } from '../database/open-database.ts';
import { DatabaseUnavailable } from '../database/database.ts';

// Through npm, one Ctrl-C comes as two signals.
const SAME_SIGNAL_MS = 1_000;
// How long the store may take to let go, once the requests had their time. It may wait for a database that hangs.
const CLOSING_MS = 2_000;

// Beside main.ts, which is nothing but the way here, the only module of the service that touches the process.
process.on('exit', exitDespitePendingReads);
try {
  if (existsSync('.env')) process.loadEnvFile();
} catch {
  refuse('the file .env cannot be read');
}
const read = await readConfig(process.env);
if ('problems' in read) refuse(...read.problems);
const { config } = read;
const { developmentToken } = config;

let phase: 'starting' | 'serving' | 'stopping' = 'starting';
let stoppingSince = Infinity;
// SIGHUP: the terminal was closed. The first process of a container ignores the signals that it does not handle.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, onSignal);
process.on('SIGUSR2', () => undefined); // By default, it would end the process.
const log = await createLog(config.logLevel, process.stdout.isTTY);
process.prependListener('exit', () => {
  log.flush();
});

const docs = await orRefuse(() => openDocs(config.docsPage, contract));
const service = await orRefuse(() => startService(config, docs, log));
const ops = await orRefuse(startOps);

phase = 'serving';
process.on('uncaughtException', (error) => {
  // Nobody knows what state this has left things in.
  log.fatal({ err: error }, 'uncaught error');
  process.exitCode = 1;
  shutDown();
});
if (developmentToken === undefined) log.info({ url: service.url, opsUrl: ops.url }, 'listening');
else printBanner(ops.url);
// `npm run dev` keeps the address and the token when it restarts the service.
process.send?.({ url: service.url, developmentToken });

function startOps() {
  const readinessProblem = async (): Promise<string | undefined> =>
    phase === 'serving' ? service.readinessProblem() : phase;
  return startServer(createOpsListener({ readinessProblem, metrics: service.metrics }), {
    ...config.ops,
    limits: OPS_LIMITS,
    observer: { answered: () => undefined, refused: () => undefined }, // Probes would drown the requests.
  });
}

function printBanner(opsUrl: string): void {
  const docsLine = docs === undefined ? '' : `\nDocs page     ${service.url}/docs`;
  console.log(`
Plant store   ${service.url}${docsLine}
Database      ${describeLocation(config.store.location)}
Operations    ${opsUrl}   (/livez, /readyz, /metrics)
Token         ${String(developmentToken)}   (made up for this run; set API_TOKENS to choose)

Try it:

${exampleCurl(contract, service.url, String(developmentToken))}
`);
}

function onSignal(signal: NodeJS.Signals): void {
  if (phase === 'starting') process.exit(0);
  if (phase === 'serving') {
    log.info({ signal }, 'stopping');
    shutDown();
  } else if (performance.now() - stoppingSince > SAME_SIGNAL_MS) {
    process.exit(1);
  }
}

function shutDown(): void {
  if (phase === 'stopping') return;
  phase = 'stopping';
  stoppingSince = performance.now();
  setTimeout(() => process.exit(1), config.shutdownGraceMs + CLOSING_MS).unref();
  void service.stop().then(async (inTime) => {
    await ops.stop(0);
    log.info({ inTime }, 'stopped');
    if (!inTime) process.exitCode = 1;
    if (isReading()) process.exit();
  });
}

/** Checks for file system calls that have not returned: from a file server that is gone, they never do. */
function isReading(): boolean {
  return process.getActiveResourcesInfo().includes('FSReqPromise');
}

/** exit() waits for the threads of such calls; replacing the program ends them. */
function exitDespitePendingReads(code: number): void {
  if (isReading()) process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${String(code)})`], {});
}

/** Runs a step of the start. What fails for a reason that somebody can mend is told in a line. */
async function orRefuse<Result>(start: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const isForSomebodyToMend = [DatabaseUnavailable, MissingHandlers, DocsUnavailable, CannotListen].some(
      (kind) => error instanceof kind,
    );
    if (isForSomebodyToMend) return refuse((error as Error).message);
    throw error;
  }
}

function refuse(...problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
