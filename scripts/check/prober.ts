import type { ApiOperation } from './api-operation.ts';
import { caseOf, type Case, type CaseKind } from './case.ts';
import { checksFor, violationsIn, type CheckName, type Violation } from './checks.ts';
import { isUndocumentedRejection } from './conformance.ts';
import { NoResponse, type WireResponse, type Connection } from './connection.ts';
import type { Oracle } from '../values/oracle.ts';
import { simplerThan } from './variants.ts';
import type { WireRequest } from './wire-request.ts';

/** A failed check with the simplest failing request that was found. */
export type Failure = Violation & {
  readonly operationId: string;
  readonly request: WireRequest;
  /** `undefined` when none arrived. */
  readonly response: WireResponse | undefined;
  readonly seed: number;
};

export type ProberOptions = {
  readonly connection: Connection;
  /** Validates by the schemas for requests. */
  readonly requestOracle: Oracle;
  /** Validates by the schemas for responses. */
  readonly responseOracle: Oracle;
  readonly token: string | undefined;
  readonly seed: number;
  /** The time limit of each response; without one, the check `max_response_time` applies to none. */
  readonly maxResponseTimeMs?: number | undefined;
  /** The value of `performance.now()` after which no request is sent. */
  readonly deadline: number;
  readonly onRequest: () => void;
};

/** Sends test cases of one operation and records at most one failure of each check. */
export type Prober = {
  readonly failures: readonly Failure[];
  /** The checks that applied to a request. */
  readonly checked: ReadonlySet<CheckName>;
  /** The statuses of rejected requests that the document does not describe. */
  readonly undocumented: ReadonlySet<number>;
  /** Whether a valid request was answered 501. */
  readonly isNotImplemented: () => boolean;
  /** Sends a test case and returns the violations of checks that have no recorded failure yet. */
  readonly probe: (testCase: Case) => Promise<readonly Violation[]>;
  /** Simplifies a test case that fails a check, and records the failure. */
  readonly record: (check: CheckName, testCase: Case) => Promise<void>;
  readonly isOver: () => boolean;
};

const NOT_IMPLEMENTED = 501;
const MAY_SUCCEED: readonly CaseKind[] = ['positive', 'undecided', 'header fields only'];

/** Creates a prober for one operation. */
export function createProber(operation: ApiOperation, options: ProberOptions): Prober {
  const { connection, requestOracle, responseOracle, token, seed, deadline, maxResponseTimeMs, onRequest } = options;
  const { operationId } = operation;
  const failures: Failure[] = [];
  const checked = new Set<CheckName>();
  const undocumented = new Set<number>();
  let isNotImplemented = false;
  let isUnreachable = false;
  const isOver = (): boolean => isUnreachable || performance.now() >= deadline;

  return {
    failures,
    checked,
    undocumented,
    isNotImplemented: () => isNotImplemented,
    isOver,
    async probe(testCase) {
      for (const check of checksFor(testCase.kind)) checked.add(check);
      const { violations } = await exchange(testCase);
      return violations.filter(({ check }) => !failures.some((failure) => failure.check === check));
    },
    async record(check, testCase) {
      const { request } = await simplify(check, testCase);
      const { response, violations } = await exchange({ ...testCase, request });
      const repeated = violations.find((violation) => violation.check === check);
      const message = repeated?.message ?? 'failed once, but passed when the request was repeated';
      failures.push({ check, message, operationId, request, response, seed });
    },
  };

  async function simplify(check: CheckName, testCase: Case): Promise<Case> {
    for (const input of testCase.input === undefined ? [] : simplerThan(testCase.input)) {
      const simpler = caseOf(operation, requestOracle, input, token);
      if (simpler?.kind !== testCase.kind) continue;
      if (isOver()) break;
      const { violations } = await exchange(simpler);
      if (violations.some((violation) => violation.check === check)) return simplify(check, simpler);
    }
    return testCase;
  }

  async function exchange(
    testCase: Case,
  ): Promise<{ response: WireResponse | undefined; violations: readonly Violation[] }> {
    onRequest();
    try {
      const original = testCase.original && (await connection.send(testCase.original));
      const response = await connection.send(testCase.request);
      if (MAY_SUCCEED.includes(testCase.kind) && response.status === NOT_IMPLEMENTED) {
        isNotImplemented = true;
        return { response, violations: [] };
      }
      const result = { operation, testCase, response, original, maxResponseTimeMs, oracle: responseOracle };
      // The document cannot describe the responses of a method that it does not have.
      if (!['unsupported method', 'unknown path'].includes(testCase.kind) && isUndocumentedRejection(result))
        undocumented.add(response.status);
      return { response, violations: violationsIn(result) };
    } catch (error) {
      if (!(error instanceof NoResponse)) throw error;
      isUnreachable ||= error.isUnreachable;
      return {
        response: undefined,
        violations: [{ check: 'not_a_server_error', message: `no response: ${error.message}` }],
      };
    }
  }
}
