import fc from 'fast-check';
import { hash } from 'node:crypto';
import { attempt } from './no-value.ts';

// A large value has many simpler ones.
const TIME_LIMIT_MS = 500;

/** Returns the value of an arbitrary for a text, the same one each time; `undefined` when there is none. */
export function sampleFor<Value>(text: string, create: () => fc.Arbitrary<Value>): Value | undefined {
  const seed = Number.parseInt(hash('sha256', text).slice(0, 7), 16);
  return attempt(() => fc.sample(create(), { seed, numRuns: 1 })[0]);
}

/** Returns the simplest value of an arbitrary, which all its values shrink to; `undefined` when there is none. */
export function simplestOf<Value>(create: () => fc.Arbitrary<Value>): Value | undefined {
  return attempt(() => {
    const isRejected = fc.property<[Value]>(create(), () => false);
    return fc.check(isRejected, { seed: 1, numRuns: 1, interruptAfterTimeLimit: TIME_LIMIT_MS }).counterexample?.[0];
  });
}
