import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { constants } from 'node:os';
import { defineCommand, type Tls } from '@contract-first/command-line/options';
import { abortOnSignals, describeBug, printError, stopWithNpm } from '@contract-first/command-line/terminal';
import { nodeHttp } from '@contract-first/contract';
import { CannotCheck } from '@contract-first/model/values';
import type { CheckFailure } from '../judgement/failures.ts';
import { PROXY } from '../options/declaration.ts';
import { type CheckOptions, readCheckOptions } from '../options/options.ts';
import type { RecordedExchange } from '@contract-first/model/requests';
import { createRecorder, type Recorder } from '../recorded/recorder.ts';
import { prepareConclusion } from '../reports/conclusion.ts';
import { openReports } from '../reports/open-reports.ts';
import { readBaseUrl } from '../run/base-url.ts';
import type { ContractResult } from '../run/contract-result.ts';
import { readDocument } from '../run/read-document.ts';
import { createForwarder } from './forward.ts';
import { windowsCommandLine } from './windows-command-line.ts';

/** Runs the proxy until a signal arrives or its command ends. */
export const proxyCommand = defineCommand(PROXY, async (given, environment) => {
  try {
    return await runProxy(readCheckOptions(given, environment), given.rest);
  } catch (error) {
    printError(error instanceof CannotCheck ? error.message : describeBug(error));
    return 2;
  }
});

async function runProxy(options: CheckOptions, client: readonly string[]): Promise<number> {
  const { archives, port = 0, isProtocolFolded } = options;
  if (options.url === undefined) throw new CannotCheck('name the service: --url http://127.0.0.1:8080');
  const { url, servedAt } = readBaseUrl(options.url);
  const { document, invalid, locate } = await readDocument(options.documentPath, options.allowedRefs, options.tls);
  const { accepts, conclude } = prepareConclusion(options, invalid);
  const targets = [...options.reports, ...archives.map((path) => ({ kind: 'har', path }) as const)];
  const reports = openReports(targets);
  const report = {
    baseUrl: url.href,
    curlOptions: options.curlOptions,
    redactor: undefined,
    repeatLine: () => undefined,
    locate,
    isProtocolFolded,
  };
  const onExchange = reports.start(report);
  let result: ContractResult | undefined;
  let problem: string | undefined;
  try {
    const recorder = createRecorder({
      ...options,
      document,
      servedAt,
      onExchange,
      onFailure: (failure) => {
        if (!accepts(failure)) printError(formatLine(failure));
      },
    });
    const clientCode = await serve({ url, tls: options.tls }, port, recorder, client);
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
async function serve(
  { url, tls }: { readonly url: URL; readonly tls: Tls },
  port: number,
  recorder: Recorder,
  client: readonly string[],
): Promise<number> {
  const bug = new AbortController();
  const onExchange = (exchange: RecordedExchange): void => {
    try {
      recorder.judge(exchange);
    } catch (error) {
      bug.abort(error);
    }
  };
  const server = nodeHttp.createServer(createForwarder(url, tls, { onExchange, onSkip: recorder.skip }));
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
    printError(`contract-first proxy: ${proxyUrl} forwards to ${url.origin}`);
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
  const options = { stdio: 'inherit', env: { ...process.env, CONTRACT_PROXY_URL: url } } as const;
  // On Windows, commands such as npm are scripts, which only the shell can start.
  const child =
    process.platform === 'win32'
      ? spawn(windowsCommandLine(command, args), { ...options, shell: 'cmd.exe' })
      : spawn(command, args, options);
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
