import { setTimeout as sleep } from 'node:timers/promises';
import type { WireResponse } from './wire-response.ts';

/** Delays the requests to a server. */
export type Throttle = {
  /** Waits until the next request may be sent, or the run ends. */
  readonly pass: () => Promise<void>;
  /** Makes all requests wait from now on. */
  readonly hold: (delayMs: number) => void;
  /** Returns how long all requests were made to wait. */
  readonly heldMs: () => number;
};

const SECOND_MS = 1_000;
const MAX_RETRY_AFTER_MS = 60 * SECOND_MS;
/** 429 and 503 say that the request was not carried out (RFC 6585, 4; RFC 9110, 15.6.4). */
const OVERLOADED = [429, 503];

/**
 * Creates a throttle that all workers share.
 *
 * @param rate the number of requests in a second; any number by default
 * @param signal ends all waits
 */
export function createThrottle(rate = Infinity, signal?: AbortSignal): Throttle {
  let next = 0;
  let heldMs = 0;
  return {
    async pass() {
      for (let now = performance.now(); now < next && signal?.aborted !== true; now = performance.now())
        await sleep(next - now, undefined, { signal }).catch(() => undefined);
      next = Math.max(next, performance.now() + SECOND_MS / rate);
    },
    hold(delayMs) {
      const now = performance.now();
      const until = Math.max(next, now + delayMs);
      heldMs += until - Math.max(next, now);
      next = until;
    },
    heldMs: () => heldMs,
  };
}

/** Returns how long a server asks to wait, by a time or in seconds; `undefined` where it does not, or for more than a minute. */
export function retryDelayMs({ status, headers }: WireResponse): number | undefined {
  const [, text = ''] = headers.find(([name]) => name === 'retry-after') ?? [];
  const delayMs = /^\d+$/.test(text) ? Number(text) * SECOND_MS : Math.max(0, Date.parse(text) - Date.now());
  const isTime = /^\d+$|GMT$/.test(text);
  return OVERLOADED.includes(status) && isTime && delayMs <= MAX_RETRY_AFTER_MS ? delayMs : undefined;
}
