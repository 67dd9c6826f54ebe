import type { ApiOperation } from '../api-operation.ts';
import { caseOf, type Case } from '../case.ts';
import { checksFor, type Violation } from '../checks.ts';
import { NoResponse, type WireResponse } from '../connection.ts';
import { withExtraHeaders, type ExtraHeader } from '../extra-headers.ts';
import { ServerGone } from '../prober.ts';
import type { Run } from '../run.ts';
import { Cut, type Turn } from '../schedule.ts';
import type { Json } from '../../values/json-value.ts';
import type { RequestInput, WireRequest } from '../wire-request.ts';
import { jsonOf } from './json-body.ts';

/** A valid request of a sequence and its response. */
export type Step = {
  readonly operation: ApiOperation;
  readonly testCase: Case;
  /** As sent. */
  readonly request: WireRequest;
  readonly response: WireResponse;
  /** The body of the response; `undefined` when it is not JSON. */
  readonly json: Json | undefined;
};

/**
 * Sends a request of a sequence, with further headers.
 *
 * @returns `undefined` when the values are no valid request, or without a response
 */
export type Send = (
  operation: ApiOperation,
  input: RequestInput,
  headers?: readonly ExtraHeader[],
) => Promise<Step | undefined>;

/** Returns the request of valid values; `undefined` when they are not valid. */
export function requestOf(
  operation: ApiOperation,
  input: RequestInput,
  headers: readonly ExtraHeader[],
  { requestOracle, token }: Run,
): Case | undefined {
  const testCase = caseOf(operation, requestOracle, input, token);
  if (testCase?.kind !== 'positive') return undefined;
  const { request } = testCase;
  return { ...testCase, request: { ...request, headers: [...request.headers, ...headers] } };
}

/**
 * Sends the request of a sequence in its turn.
 *
 * @param judge returns the failures of the checks that count
 * @throws {NoResponse} when no whole response arrives
 * @throws {ServerGone} when no connection can be established
 */
export async function exchange(
  operation: ApiOperation,
  testCase: Case,
  run: Run,
  turn: Turn,
  judge?: (step: Step) => readonly Violation[],
): Promise<Step> {
  await turn();
  run.onRequest(operation);
  const request = withExtraHeaders(operation, testCase, run.headers);
  const checks = judge === undefined ? [] : checksFor(testCase.kind).filter((check) => run.checks.has(check));
  const [startedAt, start] = [new Date(), performance.now()];
  const observe = (response: WireResponse | undefined, durationMs: number, failed: readonly Violation[]): void => {
    run.onExchange({ operation, testCase, request, response, startedAt, durationMs, checks, failed });
  };
  try {
    const response = await run.connection.send(request);
    const durationMs = performance.now() - start;
    const step = { operation, testCase, request, response, json: jsonOf(response) };
    observe(response, durationMs, judge?.(step) ?? []);
    return step;
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error;
    if (run.signal?.aborted === true) throw new Cut(); // The server may have been interrupted, too.
    observe(undefined, performance.now() - start, judge === undefined ? [] : [noWholeResponse(error)]);
    if (error.isUnreachable) throw new ServerGone(error.message, { cause: error });
    throw error;
  }
}

/** Returns the failure of a request without a whole response. */
export function noWholeResponse({ message }: NoResponse): Violation {
  return { check: 'not_a_server_error', message: `no whole response: ${message}` };
}
