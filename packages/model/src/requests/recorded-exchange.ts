import type { WireRequest } from './wire-request.ts';
import type { Excerpt, WireResponse } from './wire-response.ts';

/** A recorded request of another client, and its response. */
export type RecordedExchange = {
  readonly request: WireRequest;
  /** Whether the recording has all headers. Browsers omit credentials and cookies from exported archives. */
  readonly hasAllHeaders: boolean;
  /** Whether the recording has the whole request, apart from credentials. */
  readonly isRequestComplete: boolean;
  /** `undefined` when no complete response arrived. */
  readonly response: WireResponse | undefined;
  /** Whether the recording has the whole response body. */
  readonly isResponseComplete: boolean;
  /** The received part of an incomplete response, and the cause. */
  readonly broken: { readonly cause: string; readonly received: Excerpt } | undefined;
  readonly startedAt: Date;
  readonly durationMs: number;
  /** The place in an archive, such as `entry 3 of a.har, 2026-11-12T10:00:00.000Z`; `undefined` for live traffic. */
  readonly place: string | undefined;
};
