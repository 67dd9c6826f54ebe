import type { WireRequest } from '../wire-request.ts';
import type { Excerpt, WireResponse } from '../wire-response.ts';

/** A request that another client sent, and what it got. */
export type RecordedExchange = {
  readonly request: WireRequest;
  /** Whether all headers of the request are there: browsers leave credentials out of the archives that they export. */
  readonly hasAllHeaders: boolean;
  /** Whether the body of the request is the one that was sent: recordings may lack or cut bodies. */
  readonly isRequestComplete: boolean;
  /** `undefined` when none arrived as a whole. */
  readonly response: WireResponse | undefined;
  /** Whether the body of the response is the one that arrived. */
  readonly isResponseComplete: boolean;
  /** What arrived instead of a whole response. */
  readonly broken: { readonly cause: string; readonly received: Excerpt } | undefined;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Tells people where the exchange is: `entry 3 of a.har, 2026-11-12T10:00:00.000Z`. */
  readonly place: string;
};
