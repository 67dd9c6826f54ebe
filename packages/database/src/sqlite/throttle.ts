const LOOK_EVERY_MS = 10;

/**
 * Limits how often a check runs, since checking costs more than a commit.
 *
 * @param look the check
 * @returns a function that runs the check, or returns `undefined` within 10 ms of the last successful check
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
