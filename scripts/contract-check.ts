import { parseArgs } from 'node:util';
import generated from '../generated/contract.json' with { type: 'json' };
import { checkContract, DEFAULT_RUNS, type Progress } from './check/contract-run.ts';
import { CannotCheck } from './values/oracle.ts';
import { formatProgress, formatResult } from './check/report.ts';
import { startTemporaryService } from './check/temporary-service.ts';
import { compileContract } from './openapi/compile.ts';
import { formatProblem } from './openapi/load.ts';
import type { OpenApiDocument } from './openapi/reference.ts';
import { createProgressLine } from './progress-line.ts';

// `npm run contract` checks the running service against its document. It exits 0 when every check passes, 1 when one
// fails or an operation is not implemented, and 2 when the checks cannot run.
const USAGE = `npm run contract -- [options]
  --url URL         check this server instead of starting the service on a temporary store
  --token TOKEN     credentials for that server: a bearer token, an API key, a password or user:password
  --document FILE   an OpenAPI document, instead of the generated one
  --operation ID    check this operation only
  --runs N          generated requests of each kind for each operation (${String(DEFAULT_RUNS)})
  --max-response-time MS  fail when a response takes longer
  --seed N          seed of the generator, to repeat a run`;
const START_URL = 'http://127.0.0.1:3000';
const HINT = 'to repeat a request: run npm start and set TOKEN to the token it prints';
const INTERRUPTED = 130; // The exit code of shells after SIGINT.
const MAX_SEED = 2 ** 31 - 1;

process.exitCode = await main();

async function main(): Promise<number> {
  const progressLine = createProgressLine(process.stderr);
  let stop: (() => Promise<void>) | undefined;
  try {
    const options = readOptions();
    const document = await readDocument(options.document);
    const service = options.url === undefined ? await startTemporaryService() : undefined;
    stop = service?.stop;
    const interruption = new AbortController();
    if (service !== undefined) {
      process.once('SIGINT', () => {
        interruption.abort();
        void service.stop(); // The checks end when the server is unreachable.
      });
    }
    const onProgress = (progress: Progress): void => progressLine?.update(() => formatProgress(progress));
    const server = { baseUrl: service?.url ?? options.url ?? '', token: service?.token ?? options.token };
    const result = await checkContract({ ...options, ...server, document, onProgress });
    progressLine?.clear();
    if (interruption.signal.aborted) return INTERRUPTED;
    // The temporary service is about to stop, so curl lines refer to one that npm start runs.
    console.log(formatResult(result, service === undefined ? server : { ...server, baseUrl: START_URL }));
    if (service !== undefined && result.failures.length > 0) console.log(HINT);
    return result.failures.length + result.notImplemented.length > 0 ? 1 : 0;
  } catch (error) {
    progressLine?.clear();
    console.error(error instanceof CannotCheck ? error.message : error);
    return 2;
  } finally {
    await stop?.();
  }
}

function readOptions() {
  const text = { type: 'string' } as const;
  const options = {
    url: text,
    token: text,
    document: text,
    operation: text,
    runs: text,
    seed: text,
    'max-response-time': text,
  };
  try {
    const { values } = parseArgs({ options });
    return {
      ...values,
      runs: readInteger('runs', values.runs, DEFAULT_RUNS),
      maxResponseTimeMs: readOptional('max-response-time', values['max-response-time']),
      seed: readInteger('seed', values.seed, Math.floor(Math.random() * MAX_SEED)),
    };
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    throw new CannotCheck(`${(error as Error).message}\n${USAGE}`, { cause: error });
  }
}

function readOptional(name: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : readInteger(name, text, 0);
}

function readInteger(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (/^\d+$/.test(text) && value <= MAX_SEED) return value;
  throw new CannotCheck(`--${name} must be an integer from 0 to ${String(MAX_SEED)}, not "${text}"`);
}

async function readDocument(path: string | undefined): Promise<OpenApiDocument> {
  if (path === undefined) return generated.document;
  const { compiled, problems } = await compileContract(path);
  if (compiled === undefined) throw new CannotCheck(problems.map(formatProblem).join('\n'));
  return compiled.document;
}
