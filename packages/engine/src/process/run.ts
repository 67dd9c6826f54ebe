import type { Logger } from 'pino';
import { escapeControls, nodeHttp } from '@contract-first/contract';
import { DocsUnavailable, openDocs } from '../docs/docs.ts';
import { IncompleteApplication } from '../complete-application.ts';
import { createOpsListener, OPS_LIMITS } from '../ops/ops-listener.ts';
import { CannotListen } from '../server/listen.ts';
import { problemDetails } from '../http/reply/failure-response.ts';
import type { Rejections } from '../server/rejection.ts';
import { startServer, type RunningServer } from '../server/server.ts';
import type { Application } from '../application.ts';
import { startService, type RunningService } from '../create-service.ts';
import { mountsOf } from '../http/mounts.ts';
import type { Settings } from '../settings.ts';
import type { ServedApplication } from '../open-application.ts';
import { readConfig, type Config } from './config.ts';
import { exampleCurl } from './example-curl.ts';
import { createLog } from './log.ts';
import { namesOfSecrets } from './application-settings.ts';
import { exitWithProblems } from './refuse.ts';
import { startTelemetry, TelemetryUnavailable } from './telemetry.ts';

// A process started by npm receives Ctrl-C twice: from the terminal and from npm.
const SAME_SIGNAL_MS = 1_000;
// The argument that `npm run dev` passes on a restart, to suppress the banner.
const RESTARTED = '--restarted';
// How long the application may take to close after the last response, since its database may hang.
const CLOSING_MS = 2_000;

/**
 * Runs applications as this process: configuration, log, service, signals and exit code. Several applications have
 * documents with distinct base paths, and share a port and all limits. Invalid configuration and other operator errors
 * end the process with one line each.
 *
 * @param problemsExitCode the exit code after these lines
 * @returns a function that replaces all applications
 */
export async function runApplications(
  applications: readonly [Application, ...Application[]],
  problemsExitCode?: number,
): Promise<(applications: readonly [Application, ...Application[]]) => Promise<void>> {
  const replace = await exitOnError(() => start(applications));
  return async (next) => replace(await exitOnError(() => configure(next)));

  /** Ends the process after an error: after an operator error with its lines, after any other with its stack. */
  async function exitOnError<Result>(step: () => Promise<Result>): Promise<Result> {
    try {
      return await step();
    } catch (error) {
      const problems = operatorProblems(error, applications);
      if (problems !== undefined) return exitWithProblems(problems, problemsExitCode);
      // Node would print the error after the `exit` listeners, but a listener may replace the program.
      console.error(error);
      return process.exit(1);
    }
  }
}

/** Returns the lines for an error that an operator can correct. */
function operatorProblems(error: unknown, applications: readonly Application[]): readonly string[] | undefined {
  if (error instanceof InvalidConfiguration) return error.problems;
  const kinds = [IncompleteApplication, DocsUnavailable, CannotListen, TelemetryUnavailable];
  const isKnown = kinds.some((kind) => error instanceof kind);
  if (isKnown || applications.some(({ database }) => database?.isUnavailable(error) === true))
    return [(error as Error).message];
  return undefined;
}

/** The configurations of all applications have these problems. */
class InvalidConfiguration extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/** Starts the service of applications. Returns a function that replaces them. */
async function start(
  applications: readonly [Application, ...Application[]],
): Promise<(applications: readonly [Configured, ...Configured[]]) => Promise<void>> {
  process.on('exit', exitDespitePendingReads);
  process.stdout.on('error', ignore); // The service keeps running when standard output is closed.
  const [first, ...others] = await configure(applications);
  const { config, application } = first;
  let stop = (_signal?: NodeJS.Signals): void => {
    exitAtOnce(0);
  };
  // SIGHUP is sent when the terminal closes. As PID 1 in a container, a process ignores signals without a handler.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.on(signal, (name: NodeJS.Signals) => {
      stop(name);
    });
  }
  process.on('SIGUSR2', () => undefined); // By default, this signal would end the process.
  const log = await createLog(config.logLevel, process.stdout.isTTY);
  process.prependListener('exit', () => {
    log.flush();
  });

  const { title: name, version } = application.contract.info;
  const { telemetry } = config;
  const stopTelemetry = telemetry && (await startTelemetry(telemetry, { name, version }, log));
  const served: [ServedApplication, ...ServedApplication[]] = [serve(first), ...others.map(serve)];
  const service = await startService(served, config, log);
  let phase: string | undefined;
  const ops = await startOps(service, config, () => phase);
  const shutDown = createShutdown({ service, ops, stopTelemetry }, config, log);
  stop = (signal) => {
    if (phase === undefined && signal !== undefined) log.info({ signal }, 'stopping');
    phase = 'stopping';
    shutDown();
  };
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught error');
    process.exitCode = 1; // The state of the process is unknown.
    if (phase === undefined) stop();
  });

  const { production, developmentToken } = config;
  if (production || process.argv.includes(RESTARTED)) log.info({ url: service.url, opsUrl: ops.url }, 'listening');
  else printBanner(served, config, service, ops.url);
  // `npm run dev` keeps the address and the token when it restarts the service.
  process.send?.({ url: service.url, developmentToken });
  return async ([one, ...more]) => service.replace([serve(one), ...more.map(serve)]);
}

/** An application and its configuration. Applications of one process differ in their databases and settings. */
type Configured = { readonly application: Application; readonly config: Config };

/** @throws {InvalidConfiguration} */
async function configure([first, ...others]: readonly [Application, ...Application[]]): Promise<
  [Configured, ...Configured[]]
> {
  const problems = new Set<string>();
  // A variable that one application declares as a secret is a secret in all applications.
  const secrets = new Set([first, ...others].flatMap(({ settings = {} }) => [...namesOfSecrets(settings)]));
  const read = async (application: Application): Promise<Configured[]> => {
    const settings = withSecrets(application.settings ?? {}, secrets);
    const found = await readConfig(process.env, application.database, settings);
    if ('config' in found) return [{ application, config: found.config }];
    for (const problem of found.problems) problems.add(problem);
    return [];
  };
  const [configured, ...more] = [...(await read(first)), ...(await Promise.all(others.map(read))).flat()];
  if (configured === undefined || problems.size > 0) throw new InvalidConfiguration([...problems]);
  return [configured, ...more];
}

function withSecrets(settings: Settings, names: ReadonlySet<string>): Settings {
  const entries = Object.entries(settings);
  return Object.fromEntries(
    entries.map(([name, setting]) => [name, names.has(name) ? { ...setting, secret: true } : setting]),
  );
}

/** @throws {DocsUnavailable} */
function serve({ application, config }: Configured): ServedApplication {
  const { contract, document, state } = application;
  return { application, config, docs: openDocs(config.docs, contract, document, state) };
}

const OPS_REJECTIONS: Rejections = {
  failureResponse: (failure) => problemDetails(failure),
  observer: { answered: ignore, rejected: ignore, sentInvalid: ignore, refused: ignore }, // Probes are not logged.
};

/** Starts the listener for probes and metrics. */
function startOps(service: RunningService, { ops }: Config, phase: () => string | undefined): Promise<RunningServer> {
  const readinessProblem = async (): Promise<string | undefined> => phase() ?? service.readinessProblem();
  return startServer(createOpsListener({ readinessProblem, metrics: service.metrics }), {
    ...ops,
    limits: OPS_LIMITS,
    messageClasses: nodeHttp,
    rejections: () => OPS_REJECTIONS,
  });
}

function ignore(): void {
  // Nothing to do.
}

type RunningParts = {
  readonly service: RunningService;
  readonly ops: RunningServer;
  /** Exports the last spans. */
  readonly stopTelemetry: (() => Promise<void>) | undefined;
};

/**
 * Returns a function that stops the service gracefully. A second call ends the process, unless it is the same Ctrl-C.
 */
function createShutdown(
  { service, ops, stopTelemetry }: RunningParts,
  { shutdownGraceMs }: Config,
  log: Logger,
): () => void {
  let startedAt: number | undefined;
  return () => {
    if (startedAt !== undefined) {
      if (performance.now() - startedAt > SAME_SIGNAL_MS) exitAtOnce(1);
      return;
    }
    startedAt = performance.now();
    setTimeout(exitAtOnce, shutdownGraceMs + CLOSING_MS, 1).unref();
    void service.stop(shutdownGraceMs).then(async (inTime) => {
      await ops.stop(0);
      await stopTelemetry?.();
      log.info({ inTime }, 'stopped');
      if (!inTime) process.exitCode = 1;
      // A pending request for keys or spans must not keep the process alive.
      process.exit();
    });
  };
}

function printBanner(
  served: readonly [ServedApplication, ...ServedApplication[]],
  config: Config,
  { url, acceptsTokens }: RunningService,
  opsUrl: string,
): void {
  const developmentToken = acceptsTokens ? config.developmentToken : undefined;
  const token =
    developmentToken === undefined
      ? 'as configured; set TOKEN to one of them for the command below'
      : `${developmentToken}   (generated for this run; set API_TOKENS to choose your own)`;
  const lines: readonly (readonly [string, string])[] = [
    ...served.flatMap(({ application: { contract, database: driver }, config: { database }, docs }) => {
      // The docs page of a single document is at the root; with several documents, each is below its base path.
      const root = served.length > 1 ? `${url}${mountsOf(contract)[0] ?? ''}` : url;
      return [
        [contract.info.title, root] as const,
        ...(docs === undefined ? [] : [['Docs page', `${root}/docs`] as const]),
        ...(driver === undefined ? [] : [['Database', driver.describe(database.location)] as const]),
      ];
    }),
    ['Operations', `${opsUrl}   (/livez, /readyz, /metrics)`],
    ...(acceptsTokens ? [['Token', token] as const] : []),
  ];
  const width = Math.max(12, ...lines.map(([label]) => label.length)) + 2;
  const text = `
${lines.map(([label, value]) => label.padEnd(width) + value).join('\n')}

Try it:

${exampleCurl(served[0].application.contract, url, developmentToken)}
`;
  console.log(escapeControls(text));
}

/** Whether file system calls are pending. On a network mount whose server is gone, they never return. */
function hasPendingReads(): boolean {
  return process.getActiveResourcesInfo().includes('FSReqPromise');
}

/** Exits without waiting for threads: a thread may run a SQLite statement, which cannot be interrupted. */
function exitAtOnce(code: number): never {
  process.on('exit', replaceProgram); // Runs after the listener that flushes the log.
  process.exit(code);
}

/** Replaces the program if reads are pending, since exit() would wait for their threads. */
function exitDespitePendingReads(code: number): void {
  if (hasPendingReads()) replaceProgram(code);
}

/** Replaces the program with one that exits, which also ends all threads. */
function replaceProgram(code: number): void {
  process.execve?.(process.execPath, [process.execPath, '-e', `process.exit(${String(code)})`], {});
}
