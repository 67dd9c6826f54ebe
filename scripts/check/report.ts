import type { ContractResult, Progress } from './contract-run.ts';
import { curlLine } from './curl-line.ts';
import type { WireResponse } from './connection.ts';
import type { Failure } from './prober.ts';

export type ReportOptions = {
  readonly baseUrl: string;
  /** Is replaced by `$TOKEN` in the output. */
  readonly token: string | undefined;
};

const MAX_CHARS = 2_000;

/** Formats the failures, notes and counts of a run. */
export function formatResult(result: ContractResult, options: ReportOptions): string {
  const { seed, operations, requests, failures, unused, notImplemented, notes } = result;
  const counts = [counted(operations, 'operation'), counted(requests, 'request'), counted(failures.length, 'failure')];
  if (notImplemented.length > 0) counts.push(`${String(notImplemented.length)} not implemented`);
  return [
    ...failures.map((failure) => `${formatFailure(failure, options)}\n`),
    ...notImplemented.map((operationId) => `${operationId}: not implemented (501)`),
    ...notes,
    ...(unused.length === 0 ? [] : [`checks that applied to no request: ${unused.join(', ')}`]),
    `contract: ${counts.join(', ')} (seed ${String(seed)})`,
  ].join('\n');
}

/** Formats the progress as one line, which overwrites the previous one. */
export function formatProgress({ operationId, done, total, requests, failures }: Progress): string {
  const counts = [counted(requests, 'request'), counted(failures, 'failure')];
  return `[${String(done + 1)}/${String(total)}] ${operationId}  ${counts.join(', ')}`;
}

function formatFailure(failure: Failure, { baseUrl, token }: ReportOptions): string {
  const { check, operationId, message, request, response, seed } = failure;
  const lines = [
    `FAILED ${check}  ${operationId}`,
    `  ${message}`,
    `  ${curlLine(request, baseUrl, token)}`,
    ...(response === undefined ? [] : formatResponse(response).map((line) => `  < ${line}`)),
    `  repeat: npm run contract -- --seed ${String(seed)} --operation '${operationId}'`,
  ];
  const text = lines.join('\n');
  return token === undefined || token === '' ? text : text.replaceAll(token, '$TOKEN');
}

function formatResponse({ status, headers, body }: WireResponse): string[] {
  const text = body.toString();
  const shown = text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}… (${String(body.length)} bytes)` : text;
  // Escapes control characters, which a terminal would interpret.
  const visible = JSON.stringify(shown).slice(1, -1).replaceAll('\\"', '"');
  return [`HTTP ${String(status)}`, ...headers.map((pair) => pair.join(': ')), ...(visible === '' ? [] : [visible])];
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
