import type { JWTVerifyGetKey } from 'jose';
import * as errors from 'jose/errors';
import { createRemoteJWKSet } from 'jose/jwks/remote';
import type { Logger } from 'pino';

/** Nobody can be told by a JSON Web Token now: the keys have not been fetched yet. */
export class KeysUnavailable extends Error {}

/** When keys are fetched. */
export type Pace = {
  /** Keys are fetched again this long after they were; one that has been withdrawn is good until then. */
  readonly refreshMs: number;
  /** The least time from the end of one attempt to the next, whatever clients send. */
  readonly pauseMs: number;
  /** An attempt that takes longer has failed. */
  readonly timeoutMs: number;
};

const PACE: Pace = { refreshMs: 300_000, pauseMs: 5_000, timeoutMs: 3_000 };

/**
 * The public keys of an issuer (JSON Web Key Set, RFC 7517), fetched at once and then at their pace. Keys that are known
 * stay in use for as long as no others can be fetched; that, and why, is logged once.
 *
 * @returns finds the key for a token; throws {@link KeysUnavailable} when no keys were ever fetched, and an error of
 *   jose when none of them is for that token
 */
export function createKeySet(url: URL, log: Logger, { refreshMs, pauseMs, timeoutMs }: Pace = PACE): JWTVerifyGetKey {
  // By itself, jose fetches for every token while the endpoint is down, and drops the keys that it has when they are old.
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: timeoutMs,
    cacheMaxAge: Infinity,
    cooldownDuration: Infinity,
  });
  let known = false;
  let failing = false;
  let attempt: Promise<void> | undefined;
  let attemptedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  void fetchKeys();

  return async (header, token) => {
    if (!known) await attempt;
    if (!known) throw new KeysUnavailable();
    try {
      return await keys(header, token);
    } catch (error) {
      const isNew = error instanceof errors.JWKSNoMatchingKey;
      if (!isNew || (attempt === undefined && performance.now() < attemptedAt + pauseMs)) throw error;
      await fetchKeys();
      return keys(header, token);
    }
  };

  /** Joins the attempt that is under way; never rejects. */
  function fetchKeys(): Promise<void> {
    attempt ??= keys.reload().then(worked, failed).finally(schedule);
    return attempt;
  }

  function worked(): void {
    if (failing) log.info('the keys for JWTs can be fetched again');
    known = true;
    failing = false;
  }

  function failed(error: unknown): void {
    if (!failing) log.error({ err: error }, 'the keys for JWTs cannot be fetched');
    failing = true;
  }

  function schedule(): void {
    attempt = undefined;
    attemptedAt = performance.now();
    clearTimeout(timer);
    timer = setTimeout(() => void fetchKeys(), failing ? pauseMs : refreshMs).unref();
  }
}
