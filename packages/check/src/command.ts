import { constants } from 'node:os';
import type { Environment, Secret } from '@contract-first/command-line/options';
import {
  abortOnSignals,
  describeBug,
  exitWithoutOutput,
  print,
  printError,
} from '@contract-first/command-line/terminal';
import { createProgressLine, escapeToLine, type ProgressLine } from '@contract-first/contract';
import { createRedactor } from '@contract-first/model/requests';
import { CannotCheck } from '@contract-first/model/values';
import { checkContract, DEFAULT_RUNS } from './contract-run.ts';
import { CHECK_MEANINGS, CHECK_NAMES, PROFILES } from './judgement/checks.ts';
import type { CheckFailure } from './judgement/failures.ts';
import { type CheckOptions, readOptions } from './options/options.ts';
import { checkArchives } from './recorded/check-archives.ts';
import { prepareConclusion } from './reports/conclusion.ts';
import { openReports } from './reports/open-reports.ts';
import { formatProgress, hideIn } from './reports/text.ts';
import type { Progress } from './run/contract-options.ts';
import type { ContractResult } from './run/contract-result.ts';
import { loadHooks } from './run/hooks.ts';
import { readDocument } from './run/read-document.ts';
import { startTemporaryService } from './run/temporary-service.ts';

const NAME_WIDTH = Math.max(...CHECK_NAMES.map((name) => name.length));
const USAGE = `contract-first check [DOCUMENT] [options]

Checks a running service against its OpenAPI document: a file, or an http URL of this machine (default:
generated/openapi.json). Without --url, it starts src/main.ts on a temporary SQLite database. It creates, changes and
deletes data: never check a server in production.

  --url URL             check this server; its path, such as / or /v1, replaces the base path of the
                        document, which holds where the URL has none
  --token TOKEN         credentials for the server: a bearer token, an API key, a password or
                        user:password (default: the environment variable CONTRACT_TOKEN, or a random one
                        without --url, which the service gets as API_TOKENS)
  --credential NAME=TEXT
                        the same for one security scheme of the document; repeatable. The second one for a
                        scheme is for the second user
  --token-command TEXT  a command that prints the token, also when a token has expired
  --client ID:SECRET    gets tokens from the tokenUrl of the document's clientCredentials flow
  --other-token TOKEN   credentials of a second user, who must not read, change, list or delete resources
                        of the first one (default: the environment variable CONTRACT_OTHER_TOKEN)
  --shared NAME         an operation that every user may use on every resource: an operationId, a path,
                        or method and path, such as 'GET /items*'; repeatable
  --header 'NAME: TEXT' a header of every request; repeatable
  --har FILE            send nothing, but judge the requests and responses of an HTTP archive; --url selects
                        those of one server; repeatable
  --allow-refs KINDS    lets the document refer to files outside of its folder, to http URLs, or both: files,http
  --operation NAME      check the operation of this operationId, path, or method and path, such as
                        'GET /items/*'; repeatable
  --tag TAG             check the operations with this tag; repeatable
  --exclude NAME        leave out the operations of this name, method or tag, or all that are deprecated, such as
                        'DELETE' or 'deprecated'; repeatable
  --checks A,B          run these checks only: their names, or default, strict or protocol
  --exclude-checks A,B  do not run these checks
  --expect [NAME:]N,N   statuses that valid data may get, too, from an operation or from all; repeatable
  --value [NAME:]N=TEXT a value that the server knows, such as an id, for the parameters and the members
                        of bodies named N, such as user.email, of an operation or of all; repeatable
  --hooks FILE          a module whose functions change requests, check responses, give values, or set up the server
  --max-response-time N a response that takes longer, in milliseconds, fails
  --max-response-size N a response that is longer, in bytes, is cut off and fails (default: 16777216)
  --runs N              generated requests of each kind for each operation (default: ${String(DEFAULT_RUNS)})
  --seed N              seed of the generator, to repeat a run
  --workers N           operations to check at the same time (default: 1)
  --rate N              requests in a second at most, of all workers together; such as 20 or 0.5
  --budget SECONDS      the time for all operations (default: 20, and 1 more for each operation; with
                        --rate N, the time of 1000 requests more for each)
  --allow-incomplete    exit 0 even if an operation got less than the minimum or needs a token that is not
                        given, or most were never successful
  --baseline FILE       accept the failures in this file: only new ones count
  --update-baseline     write that file, with the failures of this run
  --report KIND:FILE    write a report: junit, har, ndjson, coverage, github or markdown; repeatable
  --report coverage     print what of each operation was seen, and what was not
  --config FILE         a file with options (default: .contract.yaml, if there is one)
  --help                print this text

\${NAME} in credentials, a header or a value is the environment variable NAME, which is not printed.
The minimum of an operation is all its systematic requests and a tenth of --runs of each kind.
The file has the same options, such as "runs: 50"; those that are repeatable may be lists.
Exit code: 1 when a check fails or an operation is not implemented, 2 when the run is incomplete or impossible,
or less than half of the operations were ever successful.
Without --checks, findings about the protocol have one line each; with them, their evidence, too.
Checks: "default" are all but ${CHECK_NAMES.filter((name) => !PROFILES.default.includes(name)).join(', ')}; "strict" are all;
"protocol" are ${PROFILES.protocol.join(', ')}.
A check fails if
${CHECK_NAMES.map((name) => `  ${name.padEnd(NAME_WIDTH)}  ${CHECK_MEANINGS[name]}\n`).join('')}`;
const START_URL = 'http://127.0.0.1:3000';
const HINT = 'to repeat a request: run npm start and set TOKEN to the token it prints';
const SIGN_IN_HINT = 'to repeat a request: run npm start, sign in, and set TOKEN to the token of the response';
const OTHER_DATABASE =
  'DATABASE_URL is not used, but a temporary SQLite database; to check another one, start the service, and use --url';
const BY_SIGNAL = 128; // Shells add the signal number.
const MAX_SEED = 2 ** 31 - 1;

/** Runs the command with arguments and environment variables. Returns the exit code. */
export async function checkCommand(args: readonly string[], environment: Environment = process.env): Promise<number> {
  exitWithoutOutput();
  const progressLine = createProgressLine(process.stderr);
  try {
    const options = readOptions(args, environment);
    if (options.isHelpWanted) {
      print(USAGE.trimEnd());
      return 0;
    }
    if (options.archives.length > 0) return await checkArchives(options);
    if (options.url === undefined && environment['DATABASE_URL'] !== undefined) printError(OTHER_DATABASE);
    return await check(options, progressLine);
  } catch (error) {
    progressLine?.clear();
    printError(error instanceof CannotCheck ? error.message : describeBug(error));
    return 2;
  }
}

async function check(options: CheckOptions, progressLine: ProgressLine | undefined): Promise<number> {
  const { url, hooksPath, isProtocolFolded, repeatLine } = options;
  const secrets = [...options.secrets]; // Fetched tokens are added.
  const { document, invalid } = await readDocument(options.documentPath, options.allowedRefs);
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
    // The service has no token of the command where it issues its own.
    const ownToken = options.signIn === undefined ? service?.token : undefined;
    const server = { baseUrl: service?.url ?? url ?? '', token: token ?? ownToken };
    if (service !== undefined) secrets.push({ variable: 'TOKEN', value: service.token });
    // The temporary service stops after the run, so curl lines use the URL of npm start.
    const baseUrl = service === undefined ? server.baseUrl : START_URL;
    const report = { baseUrl, redactor, repeatLine, isProtocolFolded };
    const onSecret = (secret: Secret): void => void secrets.push(secret);
    const onProgress = (progress: Progress): void => progressLine?.update(() => formatProgress(progress));
    const onExchange = reports.start(report);
    using interruption = abortOnSignals();
    const { signal } = interruption;
    const onNote = service === undefined ? printError : undefined; // The temporary service has its own token.
    let isFirst = true;
    const onFailure = (failure: CheckFailure): void => {
      const isMinor = isProtocolFolded && failure.category === 'protocol';
      if (!isFirst || isMinor || mayAccept(failure)) return;
      isFirst = false;
      progressLine?.clear();
      const { check, operationId, message } = failure;
      printError(escapeToLine(`the first failure: ${check}  ${operationId}: ${hideIn(message, report)}`));
    };
    const events = { onProgress, onExchange, onFailure, onSecret, onNote, signal };
    result = await checkContract({ ...options, ...server, ...events, seed, document, hooks, redactor });
    progressLine?.clear();
    const concluded = conclude(result, report);
    result = concluded.result;
    if (service !== undefined && concluded.exitCode === 1 && result.failures.length > 0)
      print(options.signIn === undefined ? HINT : SIGN_IN_HINT);
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
