import type { Excerpt, WireRequest, WireResponse } from '@contract-first/model/requests';

/** A request of another client, and its response. */
export type RecordedExchange = {
  readonly request: WireRequest;
  /** Whether the recording has all headers: browsers leave credentials and cookies out of the archives that they export. */
  readonly hasAllHeaders: boolean;
  /** Whether the recording has the whole request, apart from credentials. */
  readonly isRequestComplete: boolean;
  /** `undefined` when none arrived as a whole. */
  readonly response: WireResponse | undefined;
  /** Whether the recording has the whole body of the response. */
  readonly isResponseComplete: boolean;
  /** The bytes of a response that did not arrive as a whole, and the cause. */
  readonly broken: { readonly cause: string; readonly received: Excerpt } | undefined;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** Names the exchange in the recording: `entry 3 of a.har, 2026-11-12T10:00:00.000Z`. */
  readonly place: string;
};
