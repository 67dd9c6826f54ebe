import type { Logger } from 'pino';
import type { Refusal } from './observer.ts';

/** Decides whether there is room for another request. */
export type Admission = {
  /** Why a request that comes now has to be refused, if it has to. */
  readonly refusal: () => Refusal | undefined;
  /** Notes that the handling of a request begins. */
  readonly enter: () => void;
  /** Notes that it is over. */
  readonly leave: () => void;
  /** How many requests are being handled. */
  readonly inFlight: () => number;
};

export type AdmissionLimits = {
  /** Requests that are handled at the same time. One whose body is still on its way is not handled yet. */
  readonly inFlightLimit: number;
  /** How late the event loop may be. */
  readonly eventLoopDelayLimitMs: number;
};

const SAMPLE_MS = 20;
// An overload comes and goes many times a second; whoever reads the log is told once.
const CALM_MS = 5_000;

/**
 * Past either limit, a request more would only make all of them wait longer: it is refused at once, which costs next to
 * nothing, and the ones that were accepted are answered in a time that is bounded.
 */
export function createAdmission({ inFlightLimit, eventLoopDelayLimitMs }: AdmissionLimits, log: Logger): Admission {
  let inFlight = 0;
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
      if (reason === undefined) return undefined;
      if (refused === 0) log.warn({ reason, inFlight, eventLoopDelayMs: Math.round(delayMs) }, 'overloaded');
      refused += 1;
      refusedAt = performance.now();
      return reason;
    },
    enter: () => (inFlight += 1),
    leave: () => (inFlight -= 1),
    inFlight: () => inFlight,
  };

  function reasonNow(): Refusal | undefined {
    if (inFlight >= inFlightLimit) return 'in_flight';
    return delayMs > eventLoopDelayLimitMs ? 'event_loop_delay' : undefined;
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
