import type { Logger } from 'pino';
import type { OverloadReason } from './observer.ts';

/** Refuses requests during an overload. */
export type LoadShedding = {
  /** Returns the reason to refuse a new request, `undefined` when it can be accepted. */
  readonly overloadReason: () => OverloadReason | undefined;
  /** Counts a request as in flight. */
  readonly enter: () => void;
  /** Removes a request from those in flight. */
  readonly leave: () => void;
  /**
   * Reserves memory for the body of a request, until `release`.
   *
   * @throws {Overloaded} when too little memory is left
   */
  readonly reserve: (bytes: number) => void;
  readonly release: (bytes: number) => void;
  /** Returns the number of requests in flight. */
  readonly inFlight: () => number;
};

export type LoadSheddingLimits = {
  /** The maximum number of requests in flight: those in their handler, not those whose body is still arriving. */
  readonly inFlightLimit: number;
  /** The maximum memory for all request bodies, from their arrival to the response. */
  readonly bodyMemoryLimitBytes: number;
  /** The maximum delay of the event loop. */
  readonly eventLoopDelayLimitMs: number;
};

/** A request must be refused after its header was accepted. */
export class Overloaded extends Error {
  readonly reason: OverloadReason;

  constructor(reason: OverloadReason) {
    super(`the limit ${reason} was reached`);
    this.reason = reason;
  }
}

const SAMPLE_MS = 20;
// Logged once per overload, which may flap many times a second.
const RECOVERED_AFTER_MS = 5_000;

/**
 * Creates load shedding. Beyond a limit, another request would only delay all of them, so it is refused at once, at
 * little cost; the response time of accepted requests stays bounded.
 */
export function createLoadShedding(limits: LoadSheddingLimits, log: Logger): LoadShedding {
  let inFlight = 0;
  let bodyBytes = 0;
  let refused = 0;
  let refusedAt = -Infinity;
  let lastDelayMs = 0;
  let delayMs = 0;
  let isSampling = false;
  let hadRequests = false;

  return {
    overloadReason() {
      hadRequests = true;
      if (!isSampling) scheduleSample();
      const reason = currentReason();
      if (reason !== undefined) noteOverload(reason);
      return reason;
    },
    enter: () => (inFlight += 1),
    leave: () => (inFlight -= 1),
    reserve(bytes) {
      if (bodyBytes + bytes > limits.bodyMemoryLimitBytes) {
        noteOverload('body_memory');
        throw new Overloaded('body_memory');
      }
      bodyBytes += bytes;
    },
    release: (bytes) => (bodyBytes -= bytes),
    inFlight: () => inFlight,
  };

  function noteOverload(reason: OverloadReason): void {
    if (refused === 0) {
      log.warn({ reason, inFlight, bodyBytes, eventLoopDelayMs: Math.round(delayMs) }, 'overloaded');
    }
    refused += 1;
    refusedAt = performance.now();
  }

  function currentReason(): OverloadReason | undefined {
    if (inFlight >= limits.inFlightLimit) return 'in_flight';
    return delayMs > limits.eventLoopDelayLimitMs ? 'event_loop_delay' : undefined;
  }

  function scheduleSample(): void {
    isSampling = true;
    setTimeout(sample, SAMPLE_MS, performance.now() + SAMPLE_MS).unref();
  }

  /** Samples the event loop delay, and continues while requests arrive. */
  function sample(expectedAt: number): void {
    const now = performance.now();
    // A single pause delays one sample; only a lasting queue delays two in a row.
    delayMs = hadRequests ? Math.min(lastDelayMs, now - expectedAt) : 0;
    lastDelayMs = now - expectedAt;
    isSampling = false;
    if (refused > 0 && now - refusedAt > RECOVERED_AFTER_MS) {
      log.info({ refused }, 'no longer overloaded');
      refused = 0;
    }
    if (hadRequests || refused > 0) scheduleSample();
    hadRequests = false;
  }
}
