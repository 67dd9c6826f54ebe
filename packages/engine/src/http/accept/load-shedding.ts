import type { Logger } from 'pino';
import type { OverloadReason } from '../observer.ts';

/** Refuses requests during an overload. */
export type LoadShedding = {
  /** Checks that a new request can be accepted. @throws {Overloaded} when it cannot */
  readonly check: () => void;
  /** Counts a request as in flight, until `leave`. @throws {Overloaded} when too many requests are in flight */
  readonly enter: () => void;
  readonly leave: () => void;
  /** Reserves memory for the body of a request, until `release`. @throws {Overloaded} when not enough is left */
  readonly reserve: (bytes: number) => void;
  readonly release: (bytes: number) => void;
  /** Returns the number of requests in flight. */
  readonly inFlight: () => number;
  /** Counts a response as an open stream, until `closeStream`. @throws {Overloaded} when too many streams are open */
  readonly openStream: () => void;
  readonly closeStream: () => void;
  /** Returns the number of open streams. */
  readonly openStreams: () => number;
};

export type LoadSheddingLimits = {
  /** The maximum number of requests in flight: while their handlers run, not while their bodies arrive. */
  readonly inFlightLimit: number;
  /** The maximum memory for all request bodies, from their arrival to the response. */
  readonly bodyMemoryLimitBytes: number;
  /** The maximum number of open streams: responses that are sent while they are produced. */
  readonly streamLimit: number;
  /** The maximum delay of the event loop. */
  readonly eventLoopDelayLimitMs: number;
};

/** A limit was reached, so the request is refused. */
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
 * Creates load shedding. Beyond a limit, requests are refused at once, at little cost, since accepting them would delay
 * all others. The response time of accepted requests stays bounded.
 */
export function createLoadShedding(limits: LoadSheddingLimits, log: Logger): LoadShedding {
  let inFlight = 0;
  let bodyBytes = 0;
  let openStreams = 0;
  let refused = 0;
  let refusedAt = 0;
  let delayMs = 0;
  let lastDelayMs = 0;
  let sampledAt = performance.now();
  setInterval(sample, SAMPLE_MS).unref();

  return {
    check() {
      checkInFlight();
      if (delayMs > limits.eventLoopDelayLimitMs) refuse('event_loop_delay');
    },
    enter() {
      checkInFlight();
      inFlight += 1;
    },
    leave: () => (inFlight -= 1),
    reserve(bytes) {
      if (bodyBytes + bytes > limits.bodyMemoryLimitBytes) refuse('body_memory');
      bodyBytes += bytes;
    },
    release: (bytes) => (bodyBytes -= bytes),
    inFlight: () => inFlight,
    openStream() {
      if (openStreams >= limits.streamLimit) refuse('streams');
      openStreams += 1;
    },
    closeStream: () => (openStreams -= 1),
    openStreams: () => openStreams,
  };

  function checkInFlight(): void {
    if (inFlight >= limits.inFlightLimit) refuse('in_flight');
  }

  function refuse(reason: OverloadReason): never {
    if (refused === 0) {
      log.warn({ reason, inFlight, bodyBytes, openStreams, eventLoopDelayMs: Math.round(delayMs) }, 'overloaded');
    }
    refused += 1;
    refusedAt = performance.now();
    throw new Overloaded(reason);
  }

  function sample(): void {
    const now = performance.now();
    const newDelayMs = now - sampledAt - SAMPLE_MS;
    // A single pause delays one sample; only a lasting overload delays two samples in a row.
    delayMs = Math.min(lastDelayMs, newDelayMs);
    lastDelayMs = newDelayMs;
    sampledAt = now;
    if (refused > 0 && now - refusedAt > RECOVERED_AFTER_MS) {
      log.info({ refused }, 'no longer overloaded');
      refused = 0;
    }
  }
}
