import { hash } from 'node:crypto';

/** Creates a source of numbers from 0 to below 1, the same ones for the same seed. */
export function createRandom(seed: string): () => number {
  let count = 0;
  return () => {
    count += 1;
    return Number.parseInt(hash('sha256', `${seed} ${String(count)}`).slice(0, 12), 16) / 16 ** 12;
  };
}
