import { hash } from 'node:crypto';
import { isIPv6 } from 'node:net';
import type { Caller } from '@contract-first/contract';
import type { Exchange } from '../exchange.ts';
import { Failure } from '../failure.ts';

/** How many requests each caller may send in a window; an anonymous request counts for its address. */
export type RateLimitPolicy = {
  readonly requests: number;
  readonly windowSeconds: number;
};

/** Counts a request for its caller, or for its address without a caller. */
export type RateLimit = (caller: Caller | undefined, address: string | undefined) => Promise<RateLimitResult>;

type RateLimitResult = {
  /** The header fields for the response (draft-ietf-httpapi-ratelimit-headers). */
  readonly fields: Readonly<Record<string, string>>;
  /** The 429 for a request beyond the limit (RFC 6585, 4). */
  readonly failure?: Failure;
};

/** Counts a request for its caller or else its address. @throws {Failure} 429 beyond the rate limit */
export async function countRequest(rateLimit: RateLimit, exchange: Exchange): Promise<void> {
  const { fields, failure } = await rateLimit(exchange.caller, exchange.client.address);
  exchange.rateLimitFields = fields;
  if (failure !== undefined) throw failure;
}

/** The subject of a count. */
type Kind = 'caller' | 'address';

/** The counts that all instances share. */
type SharedCounts = {
  readonly add: (key: string, kind: Kind) => Promise<{ readonly count: number; readonly remainingMs: number }>;
  /** Returns whether an error of `add` means that the counts are unavailable; requests are then counted in memory. */
  readonly isUnavailable: (error: unknown) => boolean;
};

/**
 * Creates a rate limit: a fixed window for each caller and each address, which begins with its first request. The
 * numbers of callers and of addresses are bounded separately, so that neither displaces the other.
 *
 * @param shared the counts of all instances; while they are unavailable, each instance counts in memory
 */
export function createRateLimit({ requests, windowSeconds }: RateLimitPolicy, shared?: SharedCounts): RateLimit {
  const windowMs = windowSeconds * 1_000;
  const memory = { caller: new RecentWindows(windowMs), address: new RecentWindows(windowMs) };
  const policy = `"default";q=${String(requests)};w=${String(windowSeconds)}`;
  return async (caller, address = '') => {
    const { count, endsAt } = await (caller === undefined
      ? countFor(networkOf(address), 'address')
      : countFor(hash('sha256', `${caller.scheme} ${caller.name}`, 'base64url'), 'caller')); // A name may be long.
    const remaining = Math.max(0, requests - count);
    const seconds = String(Math.max(1, Math.ceil((endsAt - performance.now()) / 1_000)));
    const fields = {
      'ratelimit-policy': policy,
      ratelimit: `"default";r=${String(remaining)};t=${seconds}`,
    };
    if (count <= requests) return { fields };
    const message = `too many requests: at most ${String(requests)} in ${String(windowSeconds)} s; try again in ${seconds} s`;
    return { fields, failure: new Failure(429, message, { 'retry-after': seconds }) };
  };

  async function countFor(key: string, kind: Kind): Promise<Window> {
    const windows = memory[kind];
    const known = windows.get(key);
    const isBeyond = known !== undefined && known.count > requests; // Rejected without a database query.
    const window = isBeyond ? known : ((await countShared(key, kind)) ?? countOneMore(windows.get(key)));
    windows.set(key, window);
    return window;
  }

  /** Counts a request in the shared counts. Returns `undefined` when there are none or they are unavailable. */
  async function countShared(key: string, kind: Kind): Promise<Window | undefined> {
    if (shared === undefined) return undefined;
    try {
      const { count, remainingMs } = await shared.add(key, kind);
      return { count, endsAt: performance.now() + remainingMs };
    } catch (error) {
      if (shared.isUnavailable(error)) return undefined;
      throw error;
    }
  }

  function countOneMore({ count, endsAt }: Window = { count: 0, endsAt: performance.now() + windowMs }): Window {
    return { count: count + 1, endsAt };
  }
}

/** Returns the /64 network of an IPv6 address, since one client has all addresses of a /64; others unchanged. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [start = [], end = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array<string>(Math.max(0, 8 - start.length - end.length)).fill('0');
  const groups = [...start, ...zeros, ...end].slice(0, 4);
  return `${groups.map((group) => Number(`0x${group}`).toString(16)).join(':')}::/64`;
}

/** A number of requests, and the end of their window by `performance.now()`. */
type Window = { readonly count: number; readonly endsAt: number };

// More than the 65,536 /64 networks of a /48, which one client may have. Each entry takes 160 bytes.
const GENERATION_SIZE = 100_000;

/**
 * Keeps the windows of the last 100,000 to 200,000 counted keys.
 *
 * The windows are in two generations; the older generation is dropped as a whole. Deleting the oldest entries of a
 * `Map` one by one takes time linear in its size, since the `Map` skips the entries deleted before.
 */
class RecentWindows {
  readonly #windowMs: number;
  #younger = new Map<string, Window>();
  #older = new Map<string, Window>();
  #youngerSince = performance.now();

  /** @param windowMs the longest time to the end of a window */
  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Returns the window of a key; `undefined` when it is over or unknown. */
  get(key: string): Window | undefined {
    const window = this.#younger.get(key) ?? this.#older.get(key);
    return window !== undefined && window.endsAt > performance.now() ? window : undefined;
  }

  set(key: string, window: Window): void {
    const now = performance.now();
    if (this.#younger.size === GENERATION_SIZE || now > this.#youngerSince + this.#windowMs) {
      this.#older = this.#younger;
      this.#younger = new Map();
      this.#youngerSince = now;
    }
    this.#younger.set(key, window);
  }
}
