import { findCost, runWithin, TimeLimitExceeded } from '@contract-first/contract';

const TIME_LIMIT_MS = 100;
// Even where each character doubles the steps.
const CHEAP_LENGTH = 20;

/**
 * The `pattern` of a schema, whose test always ends: a text that takes too long does not match. Only a text without a
 * match makes a regular expression try all ways to find one.
 */
export class LimitedPattern extends RegExp {
  readonly #cheapLength: number;
  readonly #slow = new Set<string>();

  /** @throws {SyntaxError} when it is not a regular expression of ECMAScript */
  constructor(pattern: string) {
    super(pattern, flagsOf(pattern));
    this.#cheapLength = Math.max(CHEAP_LENGTH, findCost({ pattern }).cheapBytes);
  }

  override test(text: string): boolean {
    if (text.length <= this.#cheapLength) return super.test(text);
    if (this.#slow.has(text)) return false;
    try {
      return runWithin(TIME_LIMIT_MS, () => super.test(text));
    } catch (error) {
      if (!(error instanceof TimeLimitExceeded)) throw error;
      this.#slow.add(text);
      return false;
    }
  }
}

/** Decided here, as the contract checks use no pattern of the engine. Without the flag `u`, needless escapes such as `\\-` are allowed, and a character beyond U+FFFF counts as two. */
function flagsOf(pattern: string): string {
  try {
    new RegExp(pattern, 'u');
    return 'u';
  } catch {
    return '';
  }
}

/** The patterns of validators of Ajv. */
export const LIMITED_PATTERNS = {
  regExp: Object.assign((pattern: string) => new LimitedPattern(pattern), { code: 'new LimitedPattern' }),
};
