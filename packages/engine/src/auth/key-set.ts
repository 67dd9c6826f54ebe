import type { JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createRemoteJWKSet, customFetch, type FetchImplementation } from 'jose/jwks/remote';
import type { Logger } from 'pino';
import { KeysUnavailable } from './credentials.ts';

/** Finds the key for a token. */
export type KeySet = JWTVerifyGetKey & {
  /** Fetches the keys again, unless they were fetched a moment ago. Returns whether they were fetched. */
  readonly renew: () => Promise<boolean>;
};

/** The schedule and the limits of fetching keys. */
export type KeySetOptions = {
  /** The time from a successful fetch to the next fetch; a withdrawn key stays valid until then. */
  readonly refreshIntervalMs: number;
  /** The minimum time between two attempts; tokens with unknown keys cannot shorten it. */
  readonly cooldownMs: number;
  /** The time after which an attempt fails. */
  readonly timeoutMs: number;
  /** The maximum decompressed size of the JWKS. Reading stops at the limit. */
  readonly limitBytes: number;
};

const DEFAULTS: KeySetOptions = {
  refreshIntervalMs: 300_000,
  cooldownMs: 5_000,
  timeoutMs: 3_000,
  limitBytes: 1_048_576,
};

/**
 * Fetches the public keys of an issuer (JSON Web Key Set, RFC 7517) at once and then periodically. While fetching
 * fails, the previous keys stay in use; the error is logged once.
 *
 * @param stopping ends the periodic fetches
 * @returns a function that finds the key for a token; it rejects with {@link KeysUnavailable} when no keys have been
 *   fetched yet, and with an error of jose when none of the keys matches
 */
export function createKeySet(
  url: URL,
  log: Logger,
  stopping: AbortSignal,
  { refreshIntervalMs, cooldownMs, timeoutMs, limitBytes }: KeySetOptions = DEFAULTS,
): KeySet {
  // By default, jose fetches the keys for every token while the endpoint is down, and drops old keys.
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cacheMaxAge: Infinity,
    cooldownDuration: Infinity,
    [customFetch]: createFetch(limitBytes),
  });
  let hasKeys = false;
  let failing = false;
  let attempt: Promise<void> | undefined;
  let attemptedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  void fetchKeys();

  const find: JWTVerifyGetKey = async (header, token) => {
    if (!hasKeys) await attempt;
    if (!hasKeys) throw new KeysUnavailable();
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey) || !(await renew())) throw error;
      return keys(header, token);
    }
  };
  return Object.assign(find, { renew });

  async function renew(): Promise<boolean> {
    if (attempt === undefined && performance.now() < attemptedAt + cooldownMs) return false;
    await fetchKeys();
    return true;
  }

  /** Fetches the keys, or joins the attempt in progress. Never rejects. */
  function fetchKeys(): Promise<void> {
    attempt ??= keys.reload().then(onFetched, onFailed).finally(schedule);
    return attempt;
  }

  function onFetched(): void {
    if (failing) log.info('fetched the JWKS again');
    hasKeys = true;
    failing = false;
  }

  function onFailed(error: unknown): void {
    if (!failing) log.error({ err: error }, 'cannot fetch the JWKS');
    failing = true;
  }

  function schedule(): void {
    attempt = undefined;
    attemptedAt = performance.now();
    clearTimeout(timer);
    timer = setTimeout(() => void (stopping.aborted || fetchKeys()), failing ? cooldownMs : refreshIntervalMs).unref();
  }
}

/** Creates a `fetch` that cancels bodies larger than the limit and bodies of error responses. */
function createFetch(limitBytes: number): FetchImplementation {
  return async (url, options) => {
    const response = await fetch(url, options);
    if (response.status !== 200 || response.body === null) {
      await response.body?.cancel();
      return response;
    }
    const bytes = Buffer.allocUnsafe(limitBytes); // Collecting single-byte chunks would take 200 bytes each.
    let length = 0;
    const chunks: ReadableStream<Uint8Array> = response.body; // fetch yields Uint8Arrays; the declared type does not.
    for await (const chunk of chunks) {
      if (length + chunk.length > limitBytes) throw new Error(`the JWKS is larger than ${String(limitBytes)} bytes`);
      bytes.set(chunk, length);
      length += chunk.length;
    }
    return new Response(bytes.subarray(0, length));
  };
}
