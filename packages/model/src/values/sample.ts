import fc from 'fast-check';
import { hash } from 'node:crypto';
import { NoValue } from './no-value.ts';

// A large value has many simpler ones.
const TIME_LIMIT_MS = 500;

/** Returns the value of an arbitrary for a text, the same one each time. @throws {NoValue} when there is none */
export function sampleFor<Value>(text: string, create: () => fc.Arbitrary<Value>): Value | undefined {
  const seed = Number.parseInt(hash('sha256', text).slice(0, 7), 16);
  return fc.sample(create(), { seed, numRuns: 1 })[0];
}

/**
 * Returns the simplest value of an arbitrary, which all its values shrink to.
 *
 * @throws {NoValue} when there is none
 */
export function simplestOf<Value>(create: () => fc.Arbitrary<Value>): Value | undefined {
  let simplest: Value | undefined;
  // The first value may take as long as the limit, and is then not passed to the property.
  const arbitrary = create().map((value) => {
    simplest ??= value;
    return value;
  });
  const isRejected = fc.property<[Value]>(arbitrary, (value) => {
    simplest = value;
    return false;
  });
  try {
    fc.check(isRejected, { seed: 1, numRuns: 1, interruptAfterTimeLimit: TIME_LIMIT_MS });
  } catch (error) {
    // Simpler values may be too rare.
    if (!(error instanceof NoValue) || simplest === undefined) throw error;
  }
  return simplest;
}
