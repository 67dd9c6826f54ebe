import type { ApiOperation } from '@contract-first/model/operations';
import type { Case, CaseKind } from '@contract-first/model/cases';
import {
  type Excerpt,
  excerptOf,
  toKeptResponse,
  type KeptResponse,
  NoResponse,
  type WireRequest,
  type WireResponse,
} from '@contract-first/model/requests';
import { checksFor, violationOf, withoutConsequences, type FailedCheck } from '../judgement/checks.ts';
import { noResponse } from '../judgement/conformance.ts';
import { defectOf } from '../judgement/defect.ts';
import { withExtraHeaders } from './extra-headers.ts';
import { callHook, hookOperation } from './hooks.ts';
import type { Run } from './run.ts';
import { Interrupted, type Turn } from './schedule.ts';

/** The outcome of a request. */
export type ExchangeOutcome = {
  /** The request as sent. */
  readonly request: WireRequest;
  /** `undefined` when no complete response arrived. */
  readonly response: KeptResponse | undefined;
  /** The response with its whole body. Do not retain it, since the body may be large. */
  readonly whole: WireResponse | undefined;
  /** The received part of an incomplete response. */
  readonly received: Excerpt;
  /** The failures of enabled checks. */
  readonly violations: readonly FailedCheck[];
  /** Callers throw this error after recording the violations; `undefined` if further requests may be sent. */
  readonly stopped: Stopped | undefined;
};

/** Thrown when no further requests to an operation can be sent. The message has the reason. */
export class Stopped extends Error {}

/** Thrown when the server no longer accepts connections. */
export class ServerGone extends Stopped {}

// The kinds of cases that are sent without the first user's credentials.
const OTHERS: readonly CaseKind[] = ['no authentication', 'other user'];

/** Returns the failures of a response. `original` is the response to the test case's original request. */
export type JudgeResponse = (response: WireResponse, original: WireResponse | undefined) => readonly FailedCheck[];

/**
 * Waits for its turn, sends the request of a test case, and reports the outcome to the run's observer.
 *
 * @param judge judges a complete response; without it, no violations are reported
 * @throws {Interrupted} when the run is interrupted
 */
export async function exchange(
  operation: ApiOperation,
  testCase: Case,
  run: Run,
  turn: Turn,
  judge?: JudgeResponse,
): Promise<ExchangeOutcome> {
  await turn();
  run.onRequest(operation);
  const { hooks } = run;
  const [about, { kind }] = [hookOperation(operation), testCase];
  const complete = async (one: WireRequest): Promise<WireRequest> => {
    const own = run.withOwnKey(operation, one);
    const whole = withExtraHeaders(operation, { ...testCase, request: own }, run.headers);
    return (await callHook('beforeRequest', () => hooks.beforeRequest?.(whole, about, kind))) ?? whole;
  };
  const request = await complete(testCase.request);
  const checks = judge === undefined ? [] : checksFor(testCase.kind).filter((check) => run.checks.has(check));
  const finish = (
    found: readonly FailedCheck[],
    durationMs: number,
    endedAt: number,
    outcome: Omit<ExchangeOutcome, 'request' | 'violations'>,
  ): ExchangeOutcome => {
    const startedAt = new Date(endedAt - durationMs); // Excludes waiting for the turn and the hooks.
    const counting = judge === undefined ? [] : found.filter(({ check }) => run.checks.has(check));
    const violations = withoutConsequences(counting);
    noteEchoes(run, testCase, counting);
    const { response } = outcome;
    run.onExchange({ operation, testCase, request, response, startedAt, durationMs, checks, failed: violations });
    return { ...outcome, request, violations };
  };
  const isOwn = !OTHERS.includes(testCase.kind);
  let stopped: Stopped | undefined;
  const mayWait = (delayMs: number): boolean => {
    const isAllowed = run.mayWait(operation, delayMs);
    if (!isAllowed) stopped = new Stopped('its waits (Retry-After) are longer than its share of --budget');
    return isAllowed;
  };
  const transmit = (one: WireRequest): Promise<WireResponse> => run.connection.send(one, mayWait);
  const send = (one: WireRequest): Promise<WireResponse> =>
    isOwn ? run.users.send(one, `${operation.operationId} ${testCase.kind}`, transmit) : transmit(one);
  try {
    const original = testCase.original && (await send(await complete(testCase.original)));
    const whole = await send(request);
    const endedAt = Date.now();
    const own = await callHook('afterResponse', () => hooks.afterResponse?.(whole, request, about, kind));
    const judgeBy = (expected: WireResponse | undefined): readonly FailedCheck[] =>
      stopped === undefined ? (judge?.(whole, expected) ?? []) : [];
    let failed = judgeBy(original);
    // Another sequence may have changed the resource since the first request.
    if (failed.length > 0 && testCase.original) failed = judgeBy(await send(await complete(testCase.original)));
    const found = [
      ...failed,
      ...(own === undefined ? [] : [violationOf('own_check', defectOf(run.redactor.text(own)))]),
    ];
    const received = excerptOf(Buffer.alloc(0));
    return finish(found, whole.elapsedMs, endedAt, { response: toKeptResponse(whole), whole, received, stopped });
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    if (run.signal.aborted) throw new Interrupted(); // The interruption may have stopped the server, too.
    const { received, isUnreachable, isRepeated, elapsedMs } = error;
    const defect = noResponse(received, error.message);
    if (isUnreachable) stopped = new ServerGone('the server became unreachable', { cause: error });
    const nothing = { response: undefined, whole: undefined };
    // Only the request that stopped the server is reported, not the requests after it.
    const isConsequence = isUnreachable && isRepeated;
    const violations = isConsequence ? [] : [violationOf('not_a_server_error', defect)];
    return finish(violations, elapsedMs, Date.now(), { ...nothing, received, stopped });
  }
}

/** Records the schema violations after accepted invalid data, and the earlier violations after valid data. */
function noteEchoes({ echoes, faults }: Run, { kind, request }: Case, failed: readonly FailedCheck[]): void {
  if (request.body === undefined) return;
  const isAccepted = failed.some(({ check }) => check === 'negative_data_rejection');
  for (const { check, cause } of failed) {
    if (check !== 'response_schema_conformance') continue;
    if (isAccepted) echoes.add(cause);
    else if (kind === 'positive' && !echoes.has(cause)) faults.add(cause);
  }
}
