import { escapeToLine } from '@contract-first/contract';
import {
  curlLine,
  type Excerpt,
  EXCERPT_BYTES,
  type KeptResponse,
  type Redactor,
  splitVariables,
} from '@contract-first/model/requests';
import { checkPage } from '../judgement/check-texts.ts';
import { type CheckFailure, type FailureGroup, groupByCause, nameOperations } from '../judgement/failures.ts';
import type { Progress } from '../run/contract-options.ts';
import type { ContractResult } from '../run/contract-result.ts';
import type { LocateOperation } from '../run/read-document.ts';

export type ReportOptions = {
  readonly baseUrl: string;
  /** The options of curl lines. */
  readonly curlOptions?: readonly string[];
  /** Redacts secrets; `undefined` if messages have no secrets. */
  readonly redactor: Redactor | undefined;
  readonly repeatLine: RepeatLine;
  /** Returns the place of an operation in the document. */
  readonly locate?: LocateOperation;
  /** Whether to print protocol findings as single lines without evidence; `false` by default. */
  readonly isProtocolFolded?: boolean;
};

/** Returns the command that repeats the checks of operations; `undefined` if there is none. */
export type RepeatLine = (
  operationIds: readonly string[],
  seed: number | undefined,
  redactor: Redactor | undefined,
) => string | undefined;

const MAX_CHARS = 2_000;
const MAX_SUMMARY = 7;
const MAX_CAUSE = 100;
// Headers of earlier responses in a sequence that may explain a failure.
const TELLING = ['etag', 'link', 'location'];
// Headers of every response that explain no failure.
const USUAL = /^(?:connection|date|keep-alive)$/;

/** Formats the findings of a run, worst first, the notes, and a short summary. */
export function formatResult(result: ContractResult, options: ReportOptions): string {
  const { seed, failures, operations, unused, unsuccessful, notImplemented, incomplete, errors, notes } = result;
  const findings = groupByCause(failures);
  const isFolded = ({ category }: FailureGroup): boolean =>
    options.isProtocolFolded === true && category === 'protocol' && operations.length > 1;
  const folded = findings.filter(isFolded);
  return [
    ...findings.filter((one) => !isFolded(one)).map((finding) => `${formatFinding(finding, seed, options)}\n`),
    ...folded.map((finding) => `FAILED ${formatLine(finding)}`),
    ...(folded.length === 0 ? [] : ['  with their evidence: --checks protocol, or --operation NAME\n']),
    ...[...notImplemented.map((operationId) => `${operationId}: not implemented (501)`), ...notes].map(escapeToLine),
    ...(unused.length === 0 ? [] : [`checks that applied to no request: ${unused.join(', ')}`]),
    ...(incomplete.length === 0
      ? []
      : [escapeToLine(`incomplete, with less than the minimum of requests: ${incomplete.join(', ')}`)]),
    ...errors.map(({ operationId, message }) =>
      escapeToLine(`${operationId}: not checked to the end: ${redactError(message, options)}`),
    ),
    ...(unsuccessful === undefined ? [] : [unsuccessful]),
    ...(findings.length > 1 ? formatSummary(findings) : []),
    summarizeRun(result),
  ].join('\n');
}

/** Formats the worst findings as one line each. */
function formatSummary(findings: readonly FailureGroup[]): readonly string[] {
  const rest = findings.length - MAX_SUMMARY;
  const lines = findings.slice(0, rest === 1 ? undefined : MAX_SUMMARY).map((one) => `  ${formatLine(one)}`);
  return ['', 'worst first:', ...lines, ...(rest > 1 ? [`  and ${String(rest)} more`] : [])];
}

/** Formats a finding as one line, with its first operation. */
function formatLine({ check, cause, operationIds }: FailureGroup): string {
  const text = cause.length > MAX_CAUSE ? `${cause.slice(0, MAX_CAUSE)}…` : cause;
  return escapeToLine(`${check}  ${nameOperations(operationIds)}: ${text}`);
}

/** Returns `checked: 1 operation, 170 requests, 0 failures (seed 1)`, with further counts that are not 0. */
export function summarizeRun(result: ContractResult): string {
  const { seed, operations, requests, failures, notImplemented, incomplete, errors } = result;
  const findings = groupByCause(failures);
  const counts = [
    counted(operations.length, 'operation'),
    counted(requests, 'request'),
    counted(findings.length, 'failure'),
  ];
  if (notImplemented.length > 0) counts.push(`${String(notImplemented.length)} not implemented`);
  if (incomplete.length > 0) counts.push(`${String(incomplete.length)} incomplete`);
  if (errors.length > 0) counts.push(counted(errors.length, 'error'));
  return `checked: ${counts.join(', ')}${seed === undefined ? '' : ` (seed ${String(seed)})`}`;
}

/** Formats the progress as one line, which overwrites the previous line. */
export function formatProgress({ operationId, operations, begun, requests }: Progress): string {
  return `[${String(begun)}/${String(operations)}] ${operationId}  ${counted(requests, 'request')}`;
}

/** Formats a finding with the evidence of its first operation and the names of its other operations. */
function formatFinding(
  { first, operationIds: [, ...others] }: FailureGroup,
  seed: number | undefined,
  options: ReportOptions,
): string {
  const also = others.length === 0 ? '' : `\n  also: ${escapeToLine(others.join(', '))}`;
  return `${formatFailure(first, seed, options)}${also}\n  about the check: ${checkPage(first.check)}`;
}

/** Formats a failure with its request, its response, and the command that repeats it. */
export function formatFailure(
  failure: CheckFailure,
  seed: number | undefined,
  { baseUrl, curlOptions, redactor, repeatLine }: ReportOptions,
): string {
  const { check, operationId, message, request, response, received, passedWith, recorded } = failure;
  const { earlier = [], operationIds = [operationId] } = failure;
  const show = (kept: KeptResponse): readonly string[] => formatResponse(redactor?.response(kept) ?? kept);
  const answer = response === undefined ? visibleLines(redactor?.excerpt(received) ?? received) : show(response);
  const secrets = redactor ?? splitVariables(recorded?.variables ?? []);
  const repeat = repeatLine(operationIds, seed, redactor);
  const lines = [
    `FAILED ${check}  ${operationId}`,
    `  ${message}`,
    ...(recorded === undefined ? [] : [`  recorded: ${recorded.place}`]),
    ...(passedWith === undefined ? [] : [`  not always: when it was repeated, it got status ${String(passedWith)}`]),
    ...earlier.flatMap((step) => [
      `  ${pasted(curlLine(step.request, baseUrl, secrets, curlOptions))}`,
      ...show(withHeaders(step.response, TELLING)).map((line) => `  < ${line}`),
    ]),
    `  ${pasted(curlLine(request, baseUrl, secrets, curlOptions))}`,
    ...answer.map((line) => `  < ${line}`),
    ...(repeat === undefined ? [] : [`  repeat: ${repeat}`]),
  ];
  // A line feed in a name or a value could start a GitHub workflow command.
  return lines.map(escapeToLine).join('\n');
}

/** Redacts secrets in an error message, which may come from a hook. */
export function redactError(message: string, { redactor }: Pick<ReportOptions, 'redactor'>): string {
  return redactor?.text(message) ?? message;
}

/** Replaces a command that is too long for a terminal by a comment with its beginning. */
function pasted(command: string): string {
  if (command.length <= EXCERPT_BYTES) return command;
  return `# ${command.slice(0, EXCERPT_BYTES)}… (${String(command.length)} characters)`;
}

/** Returns a copy of a response with only the named headers. */
function withHeaders(response: KeptResponse, names: readonly string[]): KeptResponse {
  return { ...response, headers: response.headers.filter(([name]) => names.includes(name)) };
}

function formatResponse({ status, headers, body }: KeptResponse): string[] {
  const shown = headers.filter(([name]) => !USUAL.test(name)).map((pair) => escapeToLine(pair.join(': ')));
  return [`HTTP ${String(status)}`, ...shown, ...visibleLines(body)];
}

/** Formats bytes as one line with escaped control characters. Returns no line for no bytes. */
function visibleLines({ bytes, totalBytes }: Excerpt): readonly string[] {
  const text = bytes.toString();
  const visible = escapeToLine(JSON.stringify(text.slice(0, MAX_CHARS)).slice(1, -1).replaceAll('\\"', '"'));
  if (visible === '') return [];
  return [text.length > MAX_CHARS ? `${visible}… (${String(totalBytes)} bytes)` : visible];
}

function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}
