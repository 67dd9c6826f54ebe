import { createHash } from 'node:crypto';

/** Returns a comparison that shuffles texts: always alike for the same seed, whatever other texts there are. */
export function byDigest(seed: string): (one: string, other: string) => number {
  const digest = (text: string): string => createHash('sha256').update(`${seed}\n${text}`).digest('hex');
  return (one, other) => (digest(one) < digest(other) ? -1 : 1);
}
