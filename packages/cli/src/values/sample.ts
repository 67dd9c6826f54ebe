import fc from 'fast-check';
import { hash } from 'node:crypto';
import { attempt } from './no-value.ts';

/** Returns the value of an arbitrary for a text, the same one each time; `undefined` when there is none. */
export function sampleFor<Value>(text: string, create: () => fc.Arbitrary<Value>): Value | undefined {
  const seed = Number.parseInt(hash('sha256', text).slice(0, 7), 16);
  return attempt(() => fc.sample(create(), { seed, numRuns: 1 })[0]);
}
