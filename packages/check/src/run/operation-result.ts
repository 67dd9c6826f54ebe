import type { ApiOperation } from '@contract-first/model/operations';
import type { CheckName } from '../judgement/checks.ts';
import type { Failure } from '../judgement/failures.ts';
import type { Task } from './schedule.ts';

/** The result of checking one operation, as far as it got. */
export type OperationResult = {
  readonly failures: readonly Failure[];
  readonly checked: ReadonlySet<CheckName>;
  /** Whether valid requests were answered 501. */
  readonly isNotImplemented: boolean;
  /** Messages about the answers, and about requests that could not be tried. */
  readonly notes: readonly string[];
  /** The operations with a successful answer to a valid request, or one that `--expect` names. */
  readonly successful: ReadonlySet<string>;
  /** Why no valid request was successful; `undefined` when one was, or none was sent. */
  readonly failureNote: string | undefined;
  /** The statuses of valid requests. */
  readonly validStatuses: ReadonlySet<number>;
};

/** The check of one operation, as a task. */
export type OperationCheck = Task & { readonly operation: ApiOperation; readonly result: () => OperationResult };
