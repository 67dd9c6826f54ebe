import fc from 'fast-check';
import { longestText, MAX_VALUE_SIZE, type Sized } from './value-size.ts';

/** No valid value of a schema was found. */
export class NoValue extends Error {}

/** All values of a schema that can be built exceed the size limit. */
export class TooLarge extends NoValue {
  constructor(limit = MAX_VALUE_SIZE) {
    const [members, characters] = [limit, longestText(limit) + 1].map((number) => number.toLocaleString('en'));
    super(`too large: up to ${String(members)} members or ${String(characters)} characters can be generated`);
  }
}

/** Values of a schema were rejected for too long. */
export class TooSlow extends NoValue {
  /** @param place the JSON pointer to the schema, if known */
  constructor(place = 'a schema') {
    super(`${place} rejects the values that were tried, and takes too long for more`);
  }
}

/** The default maximum number of consecutive unwanted values. */
export const GIVE_UP_AFTER = 20_000;

/**
 * Filters the values of an arbitrary.
 *
 * @param giveUpAfter the maximum number of consecutive unwanted values
 *
 * @throws {NoValue} during generation, if wanted values are too rare; fast-check itself would loop forever
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
 * Combines arbitraries. Skips factories that throw {@link NoValue}.
 *
 * @throws {NoValue} if all factories throw
 */
export function oneOf<Value>(factories: readonly (() => Sized<Value>)[]): Sized<Value> {
  const outcomes = factories.map(failureOr);
  const created = outcomes.flatMap((outcome) => (outcome instanceof NoValue ? [] : [outcome]));
  if (created.length === 0) {
    const isTooLarge = outcomes.some((outcome) => outcome instanceof TooLarge);
    throw isTooLarge ? new TooLarge() : new NoValue('no alternative of the schema allows a value');
  }
  return {
    arbitrary: fc.oneof(...created.map(({ arbitrary }) => arbitrary)),
    size: Math.max(...created.map(({ size }) => size)),
  };
}

/** Calls a function; returns `undefined` if it throws {@link NoValue}. */
export function tryGenerate<Result>(create: () => Result): Result | undefined {
  const outcome = failureOr(create);
  return outcome instanceof NoValue ? undefined : outcome;
}

/** Calls a function; returns {@link NoValue} when it throws that, and {@link TooLarge} when the stack overflows. */
export function failureOr<Result>(create: () => Result): Result | NoValue {
  try {
    return create();
  } catch (error) {
    if (error instanceof NoValue) return error;
    // Ajv and fast-check recurse into schemas of thousands of alternatives.
    if (error instanceof RangeError) return new TooLarge();
    throw error;
  }
}
