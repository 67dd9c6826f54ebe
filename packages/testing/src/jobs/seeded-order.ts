import { createHash } from 'node:crypto';

/** Returns a comparison that shuffles texts by a seed. The order of two texts does not depend on other texts. */
export function seededOrder(seed: string): (one: string, other: string) => number {
  const digest = (text: string): string => createHash('sha256').update(`${seed}\n${text}`).digest('hex');
  return (one, other) => (digest(one) < digest(other) ? -1 : 1);
}
