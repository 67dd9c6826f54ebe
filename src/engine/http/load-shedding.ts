import type { Logger } from 'pino';
import type { OverloadReason } from './observer.ts';

/** Decides whether there is room for another request. */
export type LoadShedding = {
  /** Why a request that comes now has to be refused, if it has to. */
  readonly refusal: () => OverloadReason | undefined;
  /** Notes that the handling of a request begins. */
  readonly enter: () => void;
  /** Notes that it is over. */
  readonly leave: () => void;
  /**
   * Reserves memory for the body of a request, until `release`.
   *
   * @throws {Overloaded} when the bodies of other requests take it
   */
  readonly reserve: (bytes: number) => void;
  readonly release: (bytes: number) => void;
  /** How many requests are being handled. */
  readonly inFlight: () => number;
};

export type LoadSheddingLimits = {
  /** Requests that are handled at the same time. One whose body is still on its way is not handled yet. */
  readonly inFlightLimit: number;
  /** Memory for the bodies of all requests together, from their arrival to the response. */
  readonly bodyMemoryLimitBytes: number;
  /** How late the event loop may be. */
  readonly eventLoopDelayLimitMs: number;
};

/** A request that has begun is refused, since a limit was reached. */
export class Overloaded extends Error {
  readonly limit: OverloadReason;

  constructor(limit: OverloadReason) {
    super(`the limit ${limit} was reached`);
    this.limit = limit;
  }
}

const SAMPLE_MS = 20;
// An overload comes and goes many times a second; whoever reads the log is told once.
const CALM_MS = 5_000;

/**
 * Past either limit, a request more would only make all of them wait longer: it is refused at once, which costs next to
 * nothing, and the ones that were accepted are answered in a time that is bounded.
 */
export function createLoadShedding(limits: LoadSheddingLimits, log: Logger): LoadShedding {
  let inFlight = 0;
  let bodyBytes = 0;
  let refused = 0;
  let refusedAt = -Infinity;
  let lastDelayMs = 0;
  let delayMs = 0;
  let isSampling = false;
  let isBusy = false;

  return {
    refusal() {
      isBusy = true;
      if (!isSampling) sampleSoon();
      const reason = reasonNow();
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

  function reasonNow(): OverloadReason | undefined {
    if (inFlight >= limits.inFlightLimit) return 'in_flight';
    return delayMs > limits.eventLoopDelayLimitMs ? 'event_loop_delay' : undefined;
  }

  function sampleSoon(): void {
    isSampling = true;
    setTimeout(sample, SAMPLE_MS, performance.now() + SAMPLE_MS).unref();
  }

  /** Goes on for as long as requests come. */
  function sample(expectedAt: number): void {
    const now = performance.now();
    // What held everything up once is over by now: only a queue that stays makes two in a row late.
    delayMs = isBusy ? Math.min(lastDelayMs, now - expectedAt) : 0;
    lastDelayMs = now - expectedAt;
    isSampling = false;
    if (refused > 0 && now - refusedAt > CALM_MS) {
      log.info({ refused }, 'no longer overloaded');
      refused = 0;
    }
    if (isBusy || refused > 0) sampleSoon();
    isBusy = false;
  }
}
