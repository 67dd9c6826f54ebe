import type { ApiOperation } from '../../operations/api-operation.ts';
import type { Case } from '../../cases/case.ts';
import type { CheckName, Violation } from './checks.ts';
import type { WireRequest } from '../../requests/wire-request.ts';
import type { KeptResponse } from '../../requests/wire-response.ts';

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
