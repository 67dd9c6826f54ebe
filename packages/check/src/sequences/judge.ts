import type { ApiOperation } from '@contract-first/model/operations';
import { type Case, caseOf } from '@contract-first/model/cases';
import { excerptOf, type Tokens, type WireResponse } from '@contract-first/model/requests';
import {
  checksFor,
  isSameFailure,
  isStateCheck,
  violationOf,
  violationsIn,
  type CheckName,
  type FailedCheck,
  type OperationViolation,
} from '../judgement/checks.ts';
import { defectOf, type Defect } from '../judgement/defect.ts';
import { exchange, type ExchangeOutcome } from '../run/exchange.ts';
import type { CheckFailure } from '../judgement/failures.ts';
import type { Unjudged } from '../run/operation-result.ts';
import type { Run } from '../run/run.ts';
import type { Turn } from '../run/schedule.ts';
import { evidenceOf, requestOf, stepOf, type Evidence, type Send, type SequenceStep } from './sequence-step.ts';
import { isCarriedOut, isServerError, NOT_IMPLEMENTED } from '../judgement/statuses.ts';

/** Sends the requests of a sequence, applies the response checks, and records at most one failure per check. */
export type SequenceJudge = {
  readonly send: Send;
  /** Sends a request of the second user. The check does not expect success. */
  readonly sendAsOther: Send;
  /** Sends a body with read-only members, which a server may accept or reject. */
  readonly sendUndecided: Send;
  /** Repeats the request of a step. Only a server error is a failure, since the state may not allow a repetition. */
  readonly repeat: (step: SequenceStep) => Promise<SequenceStep | undefined>;
  /**
   * Records the result of a check.
   *
   * @param defect the defect, or its cause if the cause is also the message; `undefined` if the check passed
   * @param others further requests that led to the failure
   */
  readonly expect: (
    check: CheckName,
    step: Evidence,
    defect: Defect | string | undefined,
    others?: readonly Evidence[],
  ) => void;
  /** Notes that a check could not judge a resource. */
  readonly skip: (check: CheckName, reason: string) => void;
  /** Replaces failures by the same failures of a shorter sequence. */
  readonly shorten: (others: readonly CheckFailure[]) => void;
  readonly failures: () => readonly CheckFailure[];
  /** The checks and reasons of {@link skip}. */
  readonly skipped: readonly Omit<Unjudged, 'operationId'>[];
  readonly checked: ReadonlySet<CheckName>;
  /** The operations that had a successful response. */
  readonly successful: ReadonlySet<string>;
};

/** Creates a judge for one sequence. The judge awaits its turn before each request. */
export function createSequenceJudge(run: Run, turn: Turn): SequenceJudge {
  const { checks, requestOracle, responseOracle, maxResponseTimeMs } = run;
  const failures: CheckFailure[] = [];
  const skipped: Omit<Unjudged, 'operationId'>[] = [];
  const checked = new Set<CheckName>();
  const changes: Evidence[] = []; // The successful unsafe requests so far.
  const operationIds = new Set<string>();
  const successful = new Set<string>();
  return {
    send: sendAs(),
    sendAsOther: sendAs(run.users.otherTokens),
    sendUndecided: async (operation, input) => {
      const testCase = input.body && caseOf(operation, requestOracle, input, run.tokens);
      return testCase && send(operation, { ...testCase, kind: 'undecided', description: 'read-only members' });
    },
    repeat,
    expect,
    skip,
    shorten,
    skipped,
    failures: () => failures.map(withOperations),
    checked,
    successful,
  };

  function sendAs(otherTokens?: Tokens): Send {
    return async (operation, input, headers = []) => {
      const testCase = requestOf(operation, input, headers, run, otherTokens);
      return testCase && send(operation, testCase);
    };
  }

  async function send(operation: ApiOperation, testCase: Case): Promise<SequenceStep | undefined> {
    operationIds.add(operation.operationId);
    for (const check of checksFor(testCase.kind)) if (checks.has(check)) checked.add(check);
    const outcome = await exchange(operation, testCase, run, turn, (response) =>
      violationsOf(operation, testCase, response),
    );
    return keep(operation, testCase, outcome);
  }

  /** Records an outcome. Returns its step, or `undefined` without a response or if the operation is not implemented. */
  function keep(operation: ApiOperation, testCase: Case, outcome: ExchangeOutcome): SequenceStep | undefined {
    for (const violation of outcome.violations) record(violation, { ...outcome, operation }, []);
    if (outcome.stopped !== undefined) throw outcome.stopped;
    const step = stepOf(operation, testCase, outcome);
    if (step === undefined || step.response.status === NOT_IMPLEMENTED) return undefined;
    if (!isCarriedOut(step.response.status)) return step;
    successful.add(operation.operationId);
    if (operation.method !== 'GET') changes.push(evidenceOf(step));
    return step;
  }

  async function repeat({ operation, testCase }: SequenceStep): Promise<SequenceStep | undefined> {
    const again: Case = { ...testCase, kind: 'undecided', description: 'the same again' };
    const outcome = await exchange(operation, again, run, turn, ({ status, isAfterLoss }) =>
      isServerError(operation, status) && status !== NOT_IMPLEMENTED && isAfterLoss !== true
        ? [violationOf('not_a_server_error', defectOf(`the status is ${String(status)} for valid data`))]
        : [],
    );
    return keep(operation, again, outcome);
  }

  function violationsOf(operation: ApiOperation, testCase: Case, response: WireResponse): readonly FailedCheck[] {
    if (response.status === NOT_IMPLEMENTED) return []; // Reported by the operation's own task.
    const expectedStatuses = run.expectedStatuses(operation);
    const limits = { expectedStatuses, maxResponseTimeMs };
    return violationsIn({
      operation,
      testCase,
      response,
      requestOracle,
      responseOracle,
      redactor: run.redactor,
      ...limits,
    });
  }

  function expect(
    check: CheckName,
    step: Evidence,
    defect: Defect | string | undefined,
    others: readonly Evidence[] = [],
  ): void {
    if (!checks.has(check)) return;
    checked.add(check);
    const isReported = step.response.status >= 500 && checks.has('not_a_server_error');
    if (defect === undefined || isReported) return;
    record(violationOf(check, typeof defect === 'string' ? defectOf(defect) : defect), step, others);
  }

  function skip(check: CheckName, reason: string): void {
    const isKnown = skipped.some((one) => one.check === check && one.reason === reason);
    if (checks.has(check) && !isKnown) skipped.push({ check, reason });
  }

  function shorten(others: readonly CheckFailure[]): void {
    for (const [index, failure] of failures.entries()) {
      const shorter = others.find((other) => isSameFailure(failure, other) && failure.cause === other.cause);
      if (shorter !== undefined && lengthOf(shorter) < lengthOf(failure)) failures[index] = shorter;
    }
  }

  function record(
    violation: FailedCheck,
    step: Omit<Evidence, 'response'> & Pick<CheckFailure, 'response'> & Partial<Pick<CheckFailure, 'received'>>,
    others: readonly Evidence[],
  ): void {
    const { operationId } = step.operation;
    const isKnown = failures.some(
      (known) =>
        isSameFailure(known, { ...violation, operationId }) || isOfSameData(known, { ...violation, operationId }),
    );
    if (isKnown || !checks.has(violation.check)) return;
    const { request, response, received = excerptOf(Buffer.alloc(0)) } = step;
    const steps = new Map([...changes, ...others].map((other) => [other.request, other]));
    steps.delete(request);
    const earlier = [...steps.values()];
    const failure = { ...violation, operationId, request, response, received, passedWith: undefined, earlier };
    failures.push(failure);
    run.onFailure(withOperations(failure));
  }

  /** Adds all operations of the sequence to a failure. */
  function withOperations(failure: CheckFailure): CheckFailure {
    return { ...failure, operationIds: [...operationIds] };
  }
}

/** Returns whether two laws find the same difference between written and read values. */
function isOfSameData(one: OperationViolation, other: OperationViolation): boolean {
  const areLaws = [one, other].every(({ check }) => isStateCheck(check));
  return areLaws && one.operationId === other.operationId && one.cause === other.cause;
}

function lengthOf({ earlier = [] }: CheckFailure): number {
  return earlier.length;
}
