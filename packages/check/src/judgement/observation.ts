import type { ApiOperation } from '@contract-first/model/operations';
import type { Case } from '@contract-first/model/cases';
import type { KeptResponse, WireRequest } from '@contract-first/model/requests';
import type { CheckName, FailedCheck } from './checks.ts';

/** A sent request and its outcome. */
export type Observation = {
  readonly operation: ApiOperation;
  readonly testCase: Case;
  /** The request of the test case, including the headers added to every request. */
  readonly request: WireRequest;
  /** `undefined` when no complete response arrived. */
  readonly response: KeptResponse | undefined;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** The enabled checks for this request. */
  readonly checks: readonly CheckName[];
  readonly failed: readonly FailedCheck[];
};

/** Receives each request when its outcome is known. */
export type CheckObserver = (observation: Observation) => void;
