import { costOfPattern, type PatternCost } from '../../src/engine/contract/pattern-cost.ts';
import { compilePattern } from '../../src/engine/contract/pattern.ts';
import { runWithin, TimeLimitExceeded } from '../../src/engine/contract/time-limit.ts';

const TIME_LIMIT_MS = 100;
const CHEAP_STEPS = 10_000_000;
// Exponential patterns double their steps with each character.
const CHEAP_LENGTH = 20;

/**
 * The `pattern` of a schema, whose test always ends: a text that takes too long does not match. Only a text without a
 * match makes a regular expression try all ways to find one.
 */
export class LimitedPattern extends RegExp {
  readonly #cost: PatternCost;
  readonly #slow = new Set<string>();

  /** @throws {SyntaxError} when it is not a regular expression of ECMAScript */
  constructor(pattern: string) {
    super(compilePattern(pattern));
    this.#cost = costOfPattern(pattern);
  }

  override test(text: string): boolean {
    if (this.#isCheap(text)) return super.test(text);
    if (this.#slow.has(text)) return false;
    try {
      return runWithin(TIME_LIMIT_MS, () => super.test(text));
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw error;
      this.#slow.add(text);
      return false;
    }
  }

  #isCheap({ length }: string): boolean {
    const { degree, choices } = this.#cost;
    return length <= CHEAP_LENGTH || 2 ** choices * length ** degree <= CHEAP_STEPS;
  }
}

/** The patterns of validators of Ajv. */
export const LIMITED_PATTERNS = {
  regExp: Object.assign((pattern: string) => new LimitedPattern(pattern), { code: 'new LimitedPattern' }),
};
