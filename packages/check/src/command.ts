import { constants } from 'node:os';
import { defineCommand, type Secret } from '@contract-first/command-line/options';
import { abortOnSignals, describeBug, printError } from '@contract-first/command-line/terminal';
import { createProgressLine, escapeToLine, type ProgressLine } from '@contract-first/contract';
import { createRedactor } from '@contract-first/model/requests';
import { CannotCheck } from '@contract-first/model/values';
import { checkContract } from './contract-run.ts';
import type { CheckFailure } from './judgement/failures.ts';
import { CHECK } from './options/declaration.ts';
import { type CheckOptions, readCheckOptions } from './options/options.ts';
import { checkArchives } from './recorded/check-archives.ts';
import { prepareConclusion } from './reports/conclusion.ts';
import { openReports } from './reports/open-reports.ts';
import { formatProgress, redactError } from './reports/text.ts';
import type { Progress } from './run/contract-options.ts';
import type { ContractResult } from './run/contract-result.ts';
import { loadHooks } from './run/hooks.ts';
import { readDocument } from './run/read-document.ts';
import { startTemporaryService } from './run/temporary-service.ts';

const START_URL = 'http://127.0.0.1:3000';
const HINT = 'to repeat a request: run npm start and set TOKEN to the token it prints';
const SIGN_IN_HINT = 'to repeat a request: run npm start, sign in, and set TOKEN to the token of the response';
const OTHER_DATABASE =
  'DATABASE_URL is not used, but a temporary SQLite database; to check another database, start the service, and use --url';
const BY_SIGNAL = 128; // Shells add the signal number.
const MAX_SEED = 2 ** 31 - 1;

/** Checks a service. The exit code is 1 for failures, and 2 if the run is incomplete or impossible. */
export const checkCommand = defineCommand(CHECK, async (given, environment) => {
  let progressLine: ProgressLine | undefined;
  try {
    const options = readCheckOptions(given, environment);
    if (options.archives.length > 0) return await checkArchives(options);
    if (options.url === undefined && environment['DATABASE_URL'] !== undefined) printError(OTHER_DATABASE);
    if (!options.isQuiet) progressLine = createProgressLine(process.stderr);
    return await check(options, progressLine);
  } catch (error) {
    progressLine?.clear();
    printError(error instanceof CannotCheck ? error.message : describeBug(error));
    return 2;
  }
});

async function check(options: CheckOptions, progressLine: ProgressLine | undefined): Promise<number> {
  const { url, hooksPath, isProtocolFolded, repeatLine } = options;
  const secrets = [...options.secrets]; // Fetched tokens are added.
  const { document, invalid, locate } = await readDocument(options.documentPath, options.allowedRefs, options.tls);
  const hooks = hooksPath === undefined ? undefined : await loadHooks(hooksPath);
  const redactor = createRedactor({ document, url, secrets, isRecorded: false });
  const { mayAccept, conclude } = prepareConclusion(options, invalid);
  const reports = openReports(options.reports);
  const {
    token,
    otherToken = [],
    credentials = new Map<string, string>(),
    otherCredentials = new Map<string, string>(),
  } = options;
  const others = [otherToken, ...credentials.values(), ...otherCredentials.values()].flat();
  const service = url === undefined ? await startTemporaryService(token, others) : undefined;
  let result: ContractResult | undefined;
  let problem: string | undefined;
  try {
    const { seed = Math.floor(Math.random() * MAX_SEED) } = options;
    // A service that issues its own tokens does not accept the command's token.
    const ownToken = options.signIn === undefined ? service?.token : undefined;
    const server = { baseUrl: service?.url ?? url ?? '', token: token ?? ownToken };
    if (service !== undefined) secrets.push({ variable: 'TOKEN', value: service.token });
    // The temporary service stops after the run, so curl lines use the URL of npm start.
    const baseUrl = service === undefined ? server.baseUrl : START_URL;
    const report = { baseUrl, curlOptions: options.curlOptions, redactor, repeatLine, locate, isProtocolFolded };
    const onSecret = (secret: Secret): void => void secrets.push(secret);
    const onProgress = (progress: Progress): void => progressLine?.update(() => formatProgress(progress));
    const onExchange = reports.start(report);
    using interruption = abortOnSignals();
    const { signal } = interruption;
    const onNote = service === undefined ? printError : undefined; // The temporary service has its own token.
    let isFirst = true;
    const onFailure = (failure: CheckFailure): void => {
      const isMinor = isProtocolFolded && failure.category === 'protocol';
      if (options.isQuiet || !isFirst || isMinor || mayAccept(failure)) return;
      isFirst = false;
      progressLine?.clear();
      const { check, operationId, message } = failure;
      printError(escapeToLine(`the first failure: ${check}  ${operationId}: ${redactError(message, report)}`));
    };
    const events = { onProgress, onExchange, onFailure, onSecret, onNote, signal };
    result = await checkContract({ ...options, ...server, ...events, seed, document, hooks, redactor });
    progressLine?.clear();
    const concluded = conclude(result, report);
    result = concluded.result;
    if (service !== undefined && concluded.exitCode === 1 && result.failures.length > 0)
      printError(options.signIn === undefined ? HINT : SIGN_IN_HINT);
    if (signal.aborted) return BY_SIGNAL + constants.signals[signal.reason as NodeJS.Signals]; // Set by abortOnSignals.
    return concluded.exitCode;
  } catch (error) {
    problem = (error as Error).message; // No other values are thrown.
    throw error;
  } finally {
    await service?.stop();
    reports.finish(result, problem);
  }
}
