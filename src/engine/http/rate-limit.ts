import { isIPv6 } from 'node:net';
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Caller } from '../contract/caller.ts';
import { Failure } from './failure.ts';

/** How many requests each caller, or each address without one, may send in a window. */
export type RateLimitPolicy = {
  readonly requests: number;
  readonly windowSeconds: number;
};

/** Counts a request of its caller, or else of its address. */
export type RateLimit = (caller: Caller | undefined, address: string | undefined) => Promise<RateLimitResult>;

type RateLimitResult = {
  /** The header fields for the response (draft-ietf-httpapi-ratelimit-headers). */
  readonly fields: Readonly<Record<string, string>>;
  /** The 429 for a request beyond the limit (RFC 6585, 4). */
  readonly failure?: Failure;
};

/** The counts that all instances share. */
export type SharedCounts = {
  readonly add: (key: string) => Promise<{ readonly count: number; readonly remainingMs: number }>;
  /** Returns whether an error of `add` means that requests are to be counted in memory for now. */
  readonly isUnavailable: (error: unknown) => boolean;
};

/**
 * Creates a rate limit: a fixed window for each caller and each address, which begins with its first request.
 *
 * @param shared where several instances count; during an outage of it, each goes on counting in memory
 */
export function createRateLimit({ requests, windowSeconds }: RateLimitPolicy, shared?: SharedCounts): RateLimit {
  const memory = new RateLimiterMemory({ points: requests, duration: windowSeconds, keyPrefix: '' });
  const policy = `"default";q=${String(requests)};w=${String(windowSeconds)}`;
  return async (caller, address = '') => {
    const key = caller === undefined ? networkOf(address) : `${caller.scheme} ${caller.name}`;
    const { consumedPoints, msBeforeNext } = await count(key);
    const remaining = Math.max(0, requests - consumedPoints);
    const seconds = String(Math.max(1, Math.ceil(msBeforeNext / 1_000)));
    const fields = {
      'ratelimit-policy': policy,
      ratelimit: `"default";r=${String(remaining)};t=${seconds}`,
    };
    if (consumedPoints <= requests) return { fields };
    const message = `too many requests: at most ${String(requests)} in ${String(windowSeconds)} s; try again in ${seconds} s`;
    return { fields, failure: new Failure(429, message, { 'retry-after': seconds }) };
  };

  async function count(key: string): Promise<RateLimiterRes> {
    if (shared === undefined) return memory.penalty(key);
    const known = await memory.get(key);
    if (known !== null && known.consumedPoints > requests) return known; // At no cost for the database.
    try {
      const total = await shared.add(key);
      return await memory.set(key, total.count, total.remainingMs / 1_000);
    } catch (error) {
      if (!shared.isUnavailable(error)) throw error;
      return memory.penalty(key); // From the last shared count on.
    }
  }
}

/** Returns the part of an IPv6 address that names its network, since a client has all addresses of a /64. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [start = [], end = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0');
  const groups = [...start, ...zeros, ...end].slice(0, 4);
  return `${groups.map((group) => Number(`0x${group}`).toString(16)).join(':')}::/64`;
}
