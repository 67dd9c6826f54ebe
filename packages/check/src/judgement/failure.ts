import type { Excerpt, KeptResponse, WireRequest } from '@contract-first/model/requests';
import type { Violation } from './checks.ts';

/** A failed check with the simplest failing request that was found, and its response. */
export type Failure = Violation & {
  readonly operationId: string;
  readonly request: WireRequest;
  /** `undefined` when none arrived as a whole. */
  readonly response: KeptResponse | undefined;
  /** The bytes of a response that did not arrive as a whole. */
  readonly received: Excerpt;
  /** The status of the same request when it was repeated and passed; `undefined` when it failed again. */
  readonly passedWith: number | undefined;
  /** The requests before, of a sequence. */
  readonly earlier?: readonly { readonly request: WireRequest; readonly response: KeptResponse }[];
  /** The operations that the requests of a sequence need. */
  readonly operationIds?: readonly string[];
  /** Where a recorded request is, and the variables that stand for its credentials. */
  readonly recorded?: { readonly place: string; readonly variables: readonly string[] };
};
