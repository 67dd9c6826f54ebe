import type { ContractResult } from './contract-result.ts';
import type { Progress } from './contract-run.ts';
import { curlLine } from './curl-line.ts';
import { hideSecrets, type Secret } from './secrets.ts';
import type { Failure } from './prober.ts';
import { escapeToLine } from '@contract-first/contract';
import { EXCERPT_BYTES, type Excerpt, type KeptResponse } from './wire-response.ts';

export type ReportOptions = {
  readonly baseUrl: string;
  /** Are replaced by variables in the output. */
  readonly secrets: readonly Secret[];
  /** Returns the command that repeats the checks of operations. */
  readonly repeatLine: (operationIds: readonly string[], seed: number) => string;
};

const MAX_CHARS = 2_000;
// The headers of the earlier answers of a sequence that may tell why the last one is wrong.
const TELLING = ['etag', 'link', 'location'];

/** Formats the failures, notes and counts of a run. */
export function formatResult(result: ContractResult, options: ReportOptions): string {
  const { seed, failures, unused, unsuccessful, notImplemented, incomplete, errors, notes } = result;
  return [
    ...failures.map((failure) => `${formatFailure(failure, seed, options)}\n`),
    ...notImplemented.map((operationId) => `${operationId}: not implemented (501)`),
    ...notes,
    ...(unused.length === 0 ? [] : [`checks that applied to no request: ${unused.join(', ')}`]),
    ...(incomplete.length === 0
      ? []
      : [`incomplete, with less than the minimum of requests: ${incomplete.join(', ')}`]),
    ...errors.map(({ operationId, message }) => `${operationId}: not checked to the end: ${message}`),
    ...(unsuccessful === undefined ? [] : [unsuccessful]),
    summarize(result),
  ]
    .map((line) => hideSecrets(line, options.secrets))
    .join('\n');
}

/** `contract: 1 operation, 170 requests, 0 failures (seed 1)`, and other counts that are not 0. */
export function summarize(result: ContractResult): string {
  const { seed, operations, requests, failures, notImplemented, incomplete, errors } = result;
  const counts = [counted(operations, 'operation'), counted(requests, 'request'), counted(failures.length, 'failure')];
  if (notImplemented.length > 0) counts.push(`${String(notImplemented.length)} not implemented`);
  if (incomplete.length > 0) counts.push(`${String(incomplete.length)} incomplete`);
  if (errors.length > 0) counts.push(counted(errors.length, 'error'));
  return `contract: ${counts.join(', ')} (seed ${String(seed)})`;
}

/** Formats the progress as one line, which overwrites the previous one. */
export function formatProgress({ operationId, operations, begun, requests }: Progress): string {
  return `[${String(begun)}/${String(operations)}] ${operationId}  ${counted(requests, 'request')}`;
}

/** Formats a failure with its request, its answer and the command that repeats it. */
export function formatFailure(failure: Failure, seed: number, { baseUrl, secrets, repeatLine }: ReportOptions): string {
  const { check, operationId, message, request, response, received, passedWith } = failure;
  const { earlier = [], operationIds = [operationId] } = failure;
  const answer = response === undefined ? visibleLines(received) : formatResponse(response);
  const lines = [
    `FAILED ${check}  ${operationId}`,
    `  ${message}`,
    ...(passedWith === undefined ? [] : [`  not always: when it was repeated, it got status ${String(passedWith)}`]),
    ...earlier.flatMap((step) => [
      `  ${pasted(curlLine(step.request, baseUrl, secrets))}`,
      ...formatResponse(withHeaders(step.response, TELLING)).map((line) => `  < ${line}`),
    ]),
    `  ${pasted(curlLine(request, baseUrl, secrets))}`,
    ...answer.map((line) => `  < ${line}`),
  ];
  return hideSecrets([...lines, `  repeat: ${repeatLine(operationIds, seed)}`].join('\n'), secrets);
}

/** Turns a command that is too long for a terminal into a comment with its beginning. */
function pasted(command: string): string {
  if (command.length <= EXCERPT_BYTES) return command;
  return `# ${command.slice(0, EXCERPT_BYTES)}… (${String(command.length)} characters)`;
}

/** Copies a response with some of its headers only. */
function withHeaders(response: KeptResponse, names: readonly string[]): KeptResponse {
  return { ...response, headers: response.headers.filter(([name]) => names.includes(name)) };
}

function formatResponse({ status, headers, body }: KeptResponse): string[] {
  return [`HTTP ${String(status)}`, ...headers.map((pair) => escapeToLine(pair.join(': '))), ...visibleLines(body)];
}

/** Formats bytes as one line, without the control characters that a terminal would interpret; none for no bytes. */
function visibleLines({ bytes, totalBytes }: Excerpt): readonly string[] {
  const text = bytes.toString();
  const visible = escapeToLine(JSON.stringify(text.slice(0, MAX_CHARS)).slice(1, -1).replaceAll('\\"', '"'));
  if (visible === '') return [];
  return [text.length > MAX_CHARS ? `${visible}… (${String(totalBytes)} bytes)` : visible];
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
