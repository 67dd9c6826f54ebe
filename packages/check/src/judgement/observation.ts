import type { ApiOperation } from '@contract-first/model/operations';
import type { Case } from '@contract-first/model/cases';
import type { KeptResponse, WireRequest } from '@contract-first/model/requests';
import type { CheckName, Violation } from './checks.ts';

/** A request that was sent, and its outcome. */
export type Observation = {
  readonly operation: ApiOperation;
  readonly testCase: Case;
  /** The request of the test case with the headers that every request has. */
  readonly request: WireRequest;
  /** `undefined` when none arrived as a whole. */
  readonly response: KeptResponse | undefined;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** The checks that count for this request. */
  readonly checks: readonly CheckName[];
  readonly failed: readonly Violation[];
};

/** Receives every request with its outcome, in the order of the outcomes. */
export type Observer = (observation: Observation) => void;
