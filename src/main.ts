import { existsSync } from 'node:fs';
import pino from 'pino';
import { createApp, MissingHandlers } from './app.ts';
import { createIdentity } from './auth/identity.ts';
import { readConfig } from './config.ts';
import { contract } from './contract/contract.ts';
import { exampleCurl } from './contract/example.ts';
import { createHandlers } from './handlers/handlers.ts';
import { startServer } from './server.ts';
import { describeLocation, openStore } from './store/open-store.ts';
import { StoreUnavailable } from './store/plant-store.ts';

const LOG_BACKLOG_BYTES = 1_048_576;
const SAME_SIGNAL_MS = 1_000;
// How long the store may take to let go, once the requests had their time. It may wait for a database that hangs.
const CLOSING_MS = 2_000;

// The composition root, and the only module of the service that touches the process.
try {
  if (existsSync('.env')) process.loadEnvFile();
} catch {
  refuse('the file .env cannot be read');
}
const read = readConfig(process.env);
if ('problems' in read) refuse(...read.problems);
const { config } = read;

// A log that cannot be written for now, as its disk is full, say, must stop nothing else.
const logTarget = pino.destination({ sync: true, maxLength: LOG_BACKLOG_BYTES }).on('error', () => undefined);
const log = pino({ level: config.logLevel }, logTarget);
const store = await orRefuse(() => openStore(config.store.location, { ...config.store, log }));
const identity = createIdentity(config.auth, log);
const app = await orRefuse(() => createApp({ contract, handlers: createHandlers(store), identity, log, ...config }));
const server = await orRefuse(() => startServer(app, config.host, config.port, config.server));

if (config.madeUpToken === undefined) log.info({ url: server.url }, 'listening');
else introduce(config.madeUpToken);
// `npm run dev` listens for this, to keep the address and the token when it starts the service again.
process.send?.({ url: server.url, madeUpToken: config.madeUpToken });
process.once('SIGTERM', shutDown).once('SIGINT', shutDown);

function introduce(token: string): void {
  console.log(`
Plant store   ${server.url}
Database      ${describeLocation(config.store.location)}
Token         ${token}   (made up for this run; set API_TOKENS to choose)

Try it:

${exampleCurl(contract, server.url, token)}
`);
}

function shutDown(signal: NodeJS.Signals): void {
  const stopped = server.stop(config.shutdownGraceMs);
  log.info({ signal }, 'stopping'); // Whoever reads this finds nobody listening.
  expectSecondSignal();
  setTimeout(() => process.exit(1), config.shutdownGraceMs + CLOSING_MS).unref();
  void stopped.then(async (inTime) => {
    await store.close();
    log.info({ inTime }, 'stopped');
    process.exitCode = inTime ? 0 : 1;
  });
}

/** A second signal does what it does by default: it ends the process. But Ctrl-C comes twice through npm. */
function expectSecondSignal(): void {
  const ignore = (): void => undefined;
  process.off('SIGTERM', shutDown).off('SIGINT', shutDown).on('SIGTERM', ignore).on('SIGINT', ignore);
  setTimeout(() => process.off('SIGTERM', ignore).off('SIGINT', ignore), SAME_SIGNAL_MS).unref();
}

async function orRefuse<Result>(start: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof StoreUnavailable || error instanceof MissingHandlers) return refuse(error.message);
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    const reason =
      code === 'EADDRINUSE' ? 'the port is in use' : `${syscall} failed with ${code ?? 'an unknown error'}`;
    return refuse(`cannot listen on ${config.host}:${String(config.port)}: ${reason}`);
  }
}

function refuse(...problems: readonly string[]): never {
  for (const problem of problems) console.error(problem);
  process.exit(1);
}
