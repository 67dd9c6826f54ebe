import type { ApiOperation } from '@contract-first/model/operations';
import type { CheckName } from '../judgement/checks.ts';
import type { CheckFailure } from '../judgement/failures.ts';
import type { Task } from './schedule.ts';

/** A check that could not judge a resource, or `state` for all checks of sequences. */
export type Unjudged = {
  readonly check: CheckName | 'state';
  /** The operation that creates the resource or reads it. */
  readonly operationId: string;
  readonly reason: string;
};

/** The result of checking an operation. It is partial if the check was interrupted. */
export type OperationResult = {
  readonly failures: readonly CheckFailure[];
  readonly checked: ReadonlySet<CheckName>;
  /** Whether valid requests got 501. */
  readonly isNotImplemented: boolean;
  /** Messages about responses and skipped requests. */
  readonly notes: readonly string[];
  readonly unjudged: readonly Unjudged[];
  /** The operations that answered a valid request successfully, or with a status from `--expect`. */
  readonly successful: ReadonlySet<string>;
  /**
   * The reason why no valid request was successful; `undefined` if a valid request was successful, or no valid request
   * was sent.
   */
  readonly failureNote: string | undefined;
  /** The statuses that valid requests got. */
  readonly validStatuses: ReadonlySet<number>;
};

/** The check of one operation, as a task. */
export type OperationCheck = Task & { readonly operation: ApiOperation; readonly result: () => OperationResult };
