import type { ContractResult, Progress } from './contract-run.ts';
import { curlLine } from './curl-line.ts';
import type { Answer } from './exchange.ts';
import type { Failure } from './prober.ts';

export type ReportOptions = {
  readonly baseUrl: string;
  /** Never printed. */
  readonly token: string | undefined;
};

const LONGEST_CHARS = 2_000;

/** Everything that came out, for people. */
export function formatResult(result: ContractResult, options: ReportOptions): string {
  const { seed, operations, requests, failures, unused, notes } = result;
  const counts = [counted(operations, 'operation'), counted(requests, 'request'), counted(failures.length, 'failure')];
  return [
    ...failures.map((failure) => `${formatFailure(failure, options)}\n`),
    ...notes,
    ...(unused.length === 0 ? [] : [`nothing to look at for ${unused.join(', ')}`]),
    `contract: ${counts.join(', ')} (seed ${String(seed)})`,
  ].join('\n');
}

/** One line, to be written over the one before. */
export function formatProgress({ operationId, done, total, requests, failures }: Progress): string {
  const counts = [counted(requests, 'request'), counted(failures, 'failure')];
  return `[${String(done + 1)}/${String(total)}] ${operationId}  ${counts.join(', ')}`;
}

function formatFailure(failure: Failure, { baseUrl, token }: ReportOptions): string {
  const { check, operationId, message, request, answer, seed } = failure;
  const lines = [
    `FAILED ${check}  ${operationId}`,
    `  ${message}`,
    `  ${curlLine(request, baseUrl, token)}`,
    ...(answer === undefined ? [] : formatAnswer(answer).map((line) => `  < ${line}`)),
    `  again: npm run contract -- --seed ${String(seed)} --operation '${operationId}'`,
  ];
  const text = lines.join('\n');
  return token === undefined || token === '' ? text : text.replaceAll(token, '$TOKEN');
}

function formatAnswer({ status, headers, body }: Answer): string[] {
  const text = body.toString();
  const shown = text.length > LONGEST_CHARS ? `${text.slice(0, LONGEST_CHARS)}… (${String(body.length)} bytes)` : text;
  // Control characters would do what they say to the terminal.
  const visible = JSON.stringify(shown).slice(1, -1).replaceAll('\\"', '"');
  return [`HTTP ${String(status)}`, ...headers.map((pair) => pair.join(': ')), ...(visible === '' ? [] : [visible])];
}

function counted(count: number, what: string): string {
  return `${String(count)} ${what}${count === 1 ? '' : 's'}`;
}
