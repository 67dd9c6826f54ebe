import { hash } from 'node:crypto';
import { type Case, type CaseKind, caseOf, decideKind, NOT_OF_OPERATION, shrink } from '@contract-first/model/cases';
import type { ApiOperation } from '@contract-first/model/operations';
import { SAFE_METHODS, UNAVAILABLE, type WireResponse } from '@contract-first/model/requests';
import { type CheckName, checksFor, keyOf, type FailedCheck, violationsIn } from '../judgement/checks.ts';
import { isUnlimitedBody, isUndocumentedRejection } from '../judgement/conformance.ts';
import { type CheckFailure, recordFailure } from '../judgement/failures.ts';
import { NOT_IMPLEMENTED } from '../judgement/statuses.ts';
import { exchange } from '../run/exchange.ts';
import type { Run } from '../run/run.ts';
import type { Turn } from '../run/schedule.ts';

/** Sends test cases of one operation, and records one failure per check and cause (see {@link keyOf}). */
export type Prober = {
  readonly failures: () => readonly CheckFailure[];
  /** The checks that applied to at least one request. */
  readonly checked: ReadonlySet<CheckName>;
  /** The undocumented statuses of rejected requests. */
  readonly undocumented: ReadonlySet<number>;
  /** The statuses of files and streams beyond the size limit. */
  readonly large: ReadonlySet<number>;
  /** The statuses that valid requests got. */
  readonly validStatuses: ReadonlySet<number>;
  /**
   * Sends a test case and records the failed checks. Does not repeat an unsafe request, since the second response
   * depends on the first request.
   *
   * @returns the keys of the new failures
   */
  readonly probe: (testCase: Case) => Promise<readonly string[]>;
  /** Repeats the recorded request of a failure. Returns false if it passes, so that it cannot be simplified. */
  readonly isRepeatable: (key: string) => Promise<boolean>;
  /** Sends a test case. If it fails in the same way, records it as the simpler request and returns true. */
  readonly fails: (key: string, testCase: Case) => Promise<boolean>;
  /** Simplifies the recorded requests of all repeatable failures. */
  readonly simplify: () => Promise<void>;
};

type Evidence = {
  readonly testCase: Case;
  readonly failure: Omit<CheckFailure, 'passedWith'>;
  readonly repetition: Repetition | undefined;
  readonly isSimplified: boolean;
};
type Repetition = { readonly passedWith: number | undefined };

const MAY_SUCCEED: readonly CaseKind[] = ['positive', 'undecided', 'header fields only'];

/** Creates a prober for one operation. The prober awaits its turn before each request. */
export function createProber(operation: ApiOperation, run: Run, turn: Turn): Prober {
  const { requestOracle, responseOracle, redactor, tokens, checks, maxResponseTimeMs } = run;
  const { operationId } = operation;
  const expectedStatuses = run.expectedStatuses(operation);
  const recorded = new Map<string, Evidence>();
  const checked = new Set<CheckName>();
  const undocumented = new Set<number>();
  const large = new Set<number>();
  const validStatuses = new Set<number>();
  const sent = new Set<string>();
  return { failures, checked, undocumented, large, validStatuses, probe, isRepeatable, fails, simplify };

  function failures(): readonly CheckFailure[] {
    return [...recorded.values()].map(({ failure, repetition }) => {
      return { ...failure, passedWith: repetition?.passedWith };
    });
  }

  async function probe(proposed: Case): Promise<readonly string[]> {
    const testCase = { ...proposed, kind: decideKind(operation, requestOracle, proposed) };
    const { method, body, ...rest } = testCase.request;
    const key = hash('sha256', JSON.stringify([method, rest, body?.toString('latin1')]));
    if (!SAFE_METHODS.includes(method) && sent.has(key)) return [];
    sent.add(key);
    for (const check of checksFor(testCase.kind)) if (checks.has(check)) checked.add(check);
    const known = new Set(recorded.keys());
    const found = await send(testCase);
    return found.map(keyOf).filter((key) => !known.has(key) && recorded.has(key));
  }

  async function fails(key: string, testCase: Case): Promise<boolean> {
    const failure = (await send(testCase)).find((found) => keyOf(found) === key);
    const known = recorded.get(key)?.failure;
    // A request with further invalid parts is not simpler.
    if (failure === undefined || (known && failure.circumstances.length > known.circumstances.length)) return false;
    // Recording may have removed the key for a failure with fewer circumstances.
    if (known !== undefined)
      recorded.set(key, { testCase, failure, repetition: { passedWith: undefined }, isSimplified: false });
    return true;
  }

  async function isRepeatable(key: string): Promise<boolean> {
    const evidence = recorded.get(key);
    if (evidence === undefined) return false;
    let passedWith = evidence.repetition?.passedWith;
    if (evidence.repetition === undefined) {
      const found = await send(evidence.testCase, (status) => (passedWith = status));
      if (found.some((failure) => keyOf(failure) === key)) passedWith = undefined;
      // A request that gets no response and then a 5xx has one cause. A 503 may be the consequence of a crash.
      const isServerError = found.some(
        ({ check, response }) => check === 'not_a_server_error' && ![undefined, UNAVAILABLE].includes(response?.status),
      );
      if (isServerError && evidence.failure.response === undefined) {
        recorded.delete(key);
        return false;
      }
      recorded.set(key, { ...evidence, repetition: { passedWith } });
    }
    // A server may reject a repeated creation, so the first failure still counts.
    const isRefused = evidence.testCase.kind === 'positive' && passedWith !== undefined && passedWith >= 400;
    return passedWith === undefined || isRefused;
  }

  async function simplify(): Promise<void> {
    for (const [key, { isSimplified }] of recorded) {
      if (isSimplified) continue;
      let simplest: Case | undefined;
      do {
        simplest = recorded.get(key)?.testCase;
      } while ((await isRepeatable(key)) && simplest !== undefined && (await failsSimpler(key, simplest)));
      const evidence = recorded.get(key);
      if (evidence !== undefined) recorded.set(key, { ...evidence, isSimplified: true });
    }
  }

  /** Tries requests that are one step simpler, until one fails. */
  async function failsSimpler(key: string, testCase: Case): Promise<boolean> {
    for (const input of testCase.input === undefined ? [] : shrink(testCase.input)) {
      const simpler = caseOf(operation, requestOracle, input, tokens);
      if (simpler?.kind === testCase.kind && (await fails(key, simpler))) return true;
    }
    return false;
  }

  /** Sends a test case. Records and returns the failures of enabled checks. */
  async function send(testCase: Case, onStatus?: (status: number) => void): Promise<readonly Evidence['failure'][]> {
    const outcome = await exchange(operation, testCase, run, turn, (response, original) => {
      onStatus?.(response.status);
      return judge(testCase, response, original);
    });
    const { request, response, received, stopped } = outcome;
    const isCompared = outcome.violations.length > 0 && stopped === undefined && testCase.usual !== undefined;
    const usual = new Set(isCompared ? (await send(testCase.usual)).map(({ check }) => check) : []);
    const violations = outcome.violations.filter(({ check }) => !usual.has(check));
    const found = violations.map((violation) => ({ ...violation, operationId, request, response, received }));
    for (const failure of found) {
      const isNew = recordFailure(recorded, { testCase, failure, repetition: undefined, isSimplified: false });
      if (isNew) run.onFailure({ ...failure, passedWith: undefined });
    }
    if (stopped !== undefined) throw stopped;
    return found;
  }

  function judge(testCase: Case, response: WireResponse, original: WireResponse | undefined): readonly FailedCheck[] {
    const { status } = response;
    const isNotImplemented = status === NOT_IMPLEMENTED && MAY_SUCCEED.includes(testCase.kind);
    if (testCase.kind === 'positive') validStatuses.add(status);
    if (isNotImplemented) return [];
    const expected = { maxResponseTimeMs, expectedStatuses };
    const result = { operation, testCase, response, original, ...expected, requestOracle, responseOracle, redactor };
    if (!NOT_OF_OPERATION.includes(testCase.kind) && isUndocumentedRejection(result)) undocumented.add(status);
    if (isUnlimitedBody(result)) large.add(status);
    return violationsIn(result);
  }
}
