import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { constants } from 'node:os';
import type { Environment } from '@contract-first/command-line/options';
import {
  abortOnSignals,
  describeBug,
  exitWithoutOutput,
  print,
  printError,
  stopWithNpm,
} from '@contract-first/command-line/terminal';
import { nodeHttp } from '@contract-first/contract';
import { CannotCheck } from '@contract-first/model/values';
import type { CheckFailure } from '../judgement/failures.ts';
import { type CheckOptions, readOptions } from '../options/options.ts';
import type { RecordedExchange } from '../recorded/recorded-exchange.ts';
import { createRecorder, type Recorder } from '../recorded/recorder.ts';
import { prepareConclusion } from '../reports/conclusion.ts';
import { openReports } from '../reports/open-reports.ts';
import { readBaseUrl } from '../run/base-url.ts';
import type { ContractResult } from '../run/contract-result.ts';
import { readDocument } from '../run/read-document.ts';
import { createForwarder } from './forward.ts';

const USAGE = `contract-first proxy [DOCUMENT] --url URL [options] [-- COMMAND…]

Stands before a running service, forwards requests and responses unchanged, and judges what passes by the OpenAPI document:
a file, or an http URL of this machine (default: generated/openapi.json). It listens on 127.0.0.1, and ends by SIGINT or SIGTERM, or with the command, which
gets the URL of the proxy in CONTRACT_PROXY_URL, such as: contract-first proxy openapi.yaml --url URL -- npm test

  --url URL             the service; its path, such as / or /v1, replaces the base path of the document,
                        which holds where the URL has none
  --port N              the port of the proxy (default: a free one)
  --har FILE            write the requests and responses of documented operations to an HTTP archive; repeatable
  --allow-refs KINDS    lets the document refer to files outside of its folder, to http URLs, or both: files,http
  --operation NAME      judge the operation of this operationId, path, or method and path, such as
                        'GET /items/*'; repeatable
  --tag TAG             judge the operations with this tag; repeatable
  --exclude NAME        leave out the operations of this name, method or tag, or all that are deprecated, such as
                        'DELETE' or 'deprecated'; repeatable
  --checks A,B          run these checks only: their names, or default, strict or protocol
  --exclude-checks A,B  do not run these checks
  --max-response-time N a response that takes longer, in milliseconds, fails
  --allow-incomplete    exit 0 even if no request was judged, or an operation is not valid
  --baseline FILE       accept the failures in this file: only new ones count
  --update-baseline     write that file, with the failures of this run
  --report KIND:FILE    write a report: junit, har, ndjson, coverage, github or markdown; repeatable
  --report coverage     print what of each operation was seen, and what was not
  --config FILE         a file with options (default: .contract.yaml, if there is one)
  --help                print this text

Exit code: that of the command if it fails; otherwise 1 when a check fails or an operation is not implemented, 2 when
no request was judged, an operation of the document is not valid, or the proxy cannot run.
The sets of checks and the baseline are those of contract-first check --help.`;

/** Runs the proxy until a signal arrives or its command ends. Returns the exit code. */
export async function proxyCommand(args: readonly string[], environment: Environment = process.env): Promise<number> {
  exitWithoutOutput();
  const end = args.indexOf('--');
  const [own, client] = end === -1 ? [args, []] : [args.slice(0, end), args.slice(end + 1)];
  try {
    const options = readOptions(own, environment, 'proxy');
    if (!options.isHelpWanted) return await runProxy(options, client);
    print(USAGE);
    return 0;
  } catch (error) {
    printError(error instanceof CannotCheck ? error.message : describeBug(error));
    return 2;
  }
}

async function runProxy(options: CheckOptions, client: readonly string[]): Promise<number> {
  const { archives, port = 0, isProtocolFolded } = options;
  if (options.url === undefined) throw new CannotCheck('name the service: --url http://127.0.0.1:8080');
  const { url, servedAt } = readBaseUrl(options.url);
  const { document, invalid } = await readDocument(options.documentPath, options.allowedRefs);
  const { accepts, conclude } = prepareConclusion(options, invalid);
  const targets = [...options.reports, ...archives.map((path) => ({ kind: 'har', path }) as const)];
  const reports = openReports(targets);
  const report = { baseUrl: url.href, redactor: undefined, repeatLine: () => undefined, isProtocolFolded };
  const onExchange = reports.start(report);
  let result: ContractResult | undefined;
  let problem: string | undefined;
  try {
    const recorder = createRecorder({
      ...{ ...options, document, servedAt, onExchange },
      onFailure: (failure) => {
        if (!accepts(failure)) printError(formatLine(failure));
      },
    });
    const clientCode = await serve(url, port, recorder, client);
    const concluded = conclude(recorder.result(), report);
    result = concluded.result;
    return clientCode === 0 ? concluded.exitCode : clientCode;
  } catch (error) {
    problem = (error as Error).message; // No other values are thrown.
    throw error;
  } finally {
    reports.finish(result, problem);
  }
}

/** Forwards requests until a signal arrives or the client ends. Returns the client's exit code. */
async function serve(url: URL, port: number, recorder: Recorder, client: readonly string[]): Promise<number> {
  const bug = new AbortController();
  const onExchange = (exchange: RecordedExchange): void => {
    try {
      recorder.judge(exchange);
    } catch (error) {
      bug.abort(error);
    }
  };
  const server = nodeHttp.createServer(createForwarder(url, { onExchange, onSkip: recorder.skip }));
  server.requestTimeout = 0; // The service limits the duration of uploads.
  server.keepAliveTimeout = 0; // Clients may reuse a connection at any time.
  using interruption = abortOnSignals();
  const signal = AbortSignal.any([interruption.signal, bug.signal]);
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening').catch((error: unknown) => {
      throw new CannotCheck(`the proxy cannot listen: ${(error as Error).message}`, { cause: error }); // An Error.
    });
    const { port: chosen } = server.address() as AddressInfo; // A TCP address, not a pipe.
    const proxyUrl = `http://127.0.0.1:${String(chosen)}${url.pathname.replace(/\/$/, '')}`;
    printError(`contract-first proxy: ${proxyUrl} stands before ${url.origin}`);
    stopWithNpm();
    const clientCode = client.length > 0 ? await runClient(client, proxyUrl, signal) : await untilAborted(signal);
    bug.signal.throwIfAborted();
    return clientCode;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function formatLine({ check, operationId, message, recorded }: CheckFailure): string {
  return `FAILED ${check}  ${operationId}: ${message} (${recorded?.place ?? ''})`;
}

async function untilAborted(signal: AbortSignal): Promise<number> {
  if (!signal.aborted) await once(signal, 'abort');
  return 0;
}

const BY_SIGNAL = 128; // Shells add the signal number.

/**
 * Runs a command with the proxy's URL in its environment. Forwards signals to the command.
 *
 * @returns the command's exit code
 * @throws {CannotCheck} if the command cannot be started
 */
async function runClient(
  [command = '', ...args]: readonly string[],
  url: string,
  signal: AbortSignal,
): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, CONTRACT_PROXY_URL: url } });
  signal.addEventListener('abort', () => child.kill());
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      reject(new CannotCheck(`${command} cannot be started: ${error.message}`, { cause: error }));
    });
    child.on('exit', (code, by) => {
      resolve(code ?? BY_SIGNAL + (by === null ? 0 : constants.signals[by]));
    });
  });
}
