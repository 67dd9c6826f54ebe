const LOOK_EVERY_MS = 10;

/**
 * Limits how often something is looked at, since a look takes long beside a commit.
 *
 * @param look looks, and returns what it has seen
 * @returns a function that looks, and returns `undefined` within 10 ms of the last look that did not throw
 */
export function throttle<Seen>(look: () => Seen): () => Seen | undefined {
  let lookedAt = -Infinity;
  return () => {
    const now = performance.now();
    if (now - lookedAt < LOOK_EVERY_MS) return undefined;
    const seen = look();
    lookedAt = now;
    return seen;
  };
}
