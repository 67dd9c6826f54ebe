import fc from 'fast-check';

/** No value was found that a schema allows. */
export class NoValue extends Error {}

const GIVE_UP_AFTER = 20_000;

/**
 * Keeps the values that satisfy a condition.
 *
 * @throws {NoValue} while generating, when they are too rare to be found, where fast-check would look for ever
 */
export function onlyThose<Value>(
  arbitrary: fc.Arbitrary<Value>,
  isWanted: (value: Value) => boolean,
): fc.Arbitrary<Value> {
  let rejected = 0;
  return arbitrary.filter((value) => {
    const wanted = isWanted(value);
    rejected = wanted ? 0 : rejected + 1;
    if (rejected > GIVE_UP_AFTER) throw new NoValue('the schema allows too few of the values that were tried');
    return wanted;
  });
}

/**
 * One of those that have values at all.
 *
 * @throws {NoValue} when none has
 */
export function firstOf<Value>(makers: readonly (() => fc.Arbitrary<Value>)[]): fc.Arbitrary<Value> {
  const made = makers.map(attempt).filter((arbitrary) => arbitrary !== undefined);
  if (made.length === 0) throw new NoValue('no alternative of the schema allows a value');
  return fc.oneof(...made);
}

/** What is made; `undefined` when there is no value for it. */
export function attempt<Made>(make: () => Made): Made | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof NoValue) return undefined;
    throw error;
  }
}
