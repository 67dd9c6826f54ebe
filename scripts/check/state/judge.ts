import type { ApiOperation } from '../api-operation.ts';
import { checksFor, violationsIn, type CheckName, type Violation } from '../checks.ts';
import { NoResponse } from '../connection.ts';
import { withExtraHeaders } from '../extra-headers.ts';
import type { Failure } from '../prober.ts';
import type { Run } from '../run.ts';
import type { Turn } from '../schedule.ts';
import { exchange, noWholeResponse, requestOf, type Send, type Step } from './send.ts';
import { isSuccess } from './statuses.ts';

/** Sends the requests of a sequence, judges each by the usual checks, and records at most one failure of each check. */
export type Judge = {
  readonly send: Send;
  /**
   * Records the result of a check.
   *
   * @param message the reason of a failure; `undefined` when the check passed
   * @param others further requests that lead to the failure
   */
  readonly expect: (check: CheckName, step: Step, message: string | undefined, others?: readonly Step[]) => void;
  readonly failures: () => readonly Failure[];
  readonly checked: ReadonlySet<CheckName>;
  /** The operations with a successful response. */
  readonly successful: ReadonlySet<string>;
};

const NOT_IMPLEMENTED = 501;

/** Creates a judge for one sequence. It awaits its turn before each request. */
export function createJudge(run: Run, turn: Turn): Judge {
  const { checks, responseOracle: oracle, maxResponseTimeMs } = run;
  const failures: Failure[] = [];
  const checked = new Set<CheckName>();
  const changes: Step[] = []; // The requests so far that changed something: the state of the server.
  const operationIds = new Set<string>();
  const successful = new Set<string>();
  return { send, expect, failures: () => failures.map(withOperations), checked, successful };

  async function send(...[operation, input, headers = []]: Parameters<Send>): Promise<Step | undefined> {
    const testCase = requestOf(operation, input, headers, run);
    if (testCase === undefined) return undefined;
    operationIds.add(operation.operationId);
    for (const check of checksFor('positive')) if (checks.has(check)) checked.add(check);
    try {
      let violations: readonly Violation[] = [];
      const step = await exchange(operation, testCase, run, turn, (sent) => (violations = violationsOf(sent)));
      const { status } = step.response;
      if (status === NOT_IMPLEMENTED) return undefined; // The operation's own task reports it.
      for (const violation of violations) record(violation, step, []);
      if (isSuccess(status)) successful.add(operation.operationId);
      if (operation.method !== 'GET' && isSuccess(status)) changes.push(step);
      return step;
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      const request = withExtraHeaders(operation, testCase, run.headers);
      record(noWholeResponse(error), { operation, request, response: undefined }, [], error.received);
      return undefined;
    }
  }

  function violationsOf({ operation, testCase, response }: Step): readonly Violation[] {
    if (response.status === NOT_IMPLEMENTED) return [];
    const expectedStatuses = run.expectedStatuses(operation);
    const result = { operation, testCase, response, oracle, expectedStatuses, maxResponseTimeMs };
    return violationsIn(result).filter(({ check }) => checks.has(check));
  }

  function expect(check: CheckName, step: Step, message: string | undefined, others: readonly Step[] = []): void {
    if (!checks.has(check)) return;
    checked.add(check);
    if (message !== undefined) record({ check, message }, step, others);
  }

  function record(
    violation: Violation,
    step: Pick<Failure, 'request' | 'response'> & { readonly operation: ApiOperation },
    others: readonly Step[],
    received: Buffer = Buffer.alloc(0),
  ): void {
    const { operationId } = step.operation;
    const isKnown = failures.some((known) => known.check === violation.check && known.operationId === operationId);
    if (isKnown || !checks.has(violation.check)) return;
    const { request, response } = step;
    const earlier = [...changes, ...others].filter((other) => other.request !== request);
    failures.push({ ...violation, operationId, request, response, received, passedWith: undefined, earlier });
  }

  /** Adds the operations that the whole sequence needs. */
  function withOperations(failure: Failure): Failure {
    return { ...failure, operationIds: [...operationIds] };
  }
}
