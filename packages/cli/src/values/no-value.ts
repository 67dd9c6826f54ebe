import fc from 'fast-check';

/** No valid value of a schema was found. */
export class NoValue extends Error {}

const GIVE_UP_AFTER = 20_000;

/**
 * Filters the values of an arbitrary.
 *
 * @param giveUpAfter how many values may be unwanted in a row
 *
 * @throws {NoValue} while generating, when such values are too rare; fast-check itself would loop forever
 */
export function filtered<Value>(
  arbitrary: fc.Arbitrary<Value>,
  isWanted: (value: Value) => boolean,
  giveUpAfter = GIVE_UP_AFTER,
): fc.Arbitrary<Value> {
  let rejected = 0;
  return arbitrary.filter((value) => {
    const wanted = isWanted(value);
    rejected = wanted ? 0 : rejected + 1;
    if (rejected > giveUpAfter) throw new NoValue('the schema allows too few of the values that were tried');
    return wanted;
  });
}

/**
 * Combines arbitraries. Factories that throw {@link NoValue} are skipped.
 *
 * @throws {NoValue} when none can be created
 */
export function oneOf<Value>(factories: readonly (() => fc.Arbitrary<Value>)[]): fc.Arbitrary<Value> {
  const arbitraries = factories.map(attempt).filter((arbitrary) => arbitrary !== undefined);
  if (arbitraries.length === 0) throw new NoValue('no alternative of the schema allows a value');
  return fc.oneof(...arbitraries);
}

/** Calls a function; returns `undefined` when it throws {@link NoValue}. */
export function attempt<Result>(create: () => Result): Result | undefined {
  try {
    return create();
  } catch (error) {
    if (error instanceof NoValue) return undefined;
    throw error;
  }
}
