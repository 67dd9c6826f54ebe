import { keywordsWhere, subschemasOf } from './keywords.ts';
import { costOfPattern } from './pattern-cost.ts';

type Node = Readonly<Record<string, unknown>>;

// Around 0.1 s of matching.
const MAX_STEPS = 10_000_000;
// The expression of ajv-formats for URLs backtracks over the userinfo, its password and the host.
const URL_DEGREE = 2;
// In a recursive schema, these keywords may check a value repeatedly at each level.
const REPEATING = keywordsWhere(({ applicator, overlaps }) => applicator === 'in-place' || overlaps === true);

/** The cost of checks against schemas. */
export type CheckCost = {
  /** The size up to which a value is cheap to check, small where a regular expression may backtrack. */
  readonly cheapBytes: number;
  /** Whether a value may be checked more than once. */
  readonly isBranching: boolean;
  /** The `$ref`s of the schemas, whose own cost is not included. */
  readonly references: readonly string[];
};

/** Finds the cost of checks against schemas. */
export function findCost(...schemas: readonly unknown[]): CheckCost {
  const found = { cheapBytes: Infinity, isBranching: false, references: new Set<string>() };
  schemas.forEach(visit);
  return { ...found, references: [...found.references] };

  function visit(schema: unknown): void {
    if (typeof schema !== 'object' || schema === null) return;
    const { $ref, pattern, patternProperties = {}, format } = schema as Node;
    const isAlternative = $ref !== undefined && Object.values(schema).some((member) => typeof member === 'object');
    if (isAlternative || REPEATING.some((keyword) => Object.hasOwn(schema, keyword))) found.isBranching = true;
    if (typeof pattern === 'string') addPattern(pattern);
    if (format === 'url') addCost(URL_DEGREE, 0);
    Object.keys(patternProperties as object).forEach(addPattern);
    if (typeof $ref === 'string') found.references.add($ref);
    subschemasOf(schema).forEach(visit);
  }

  function addPattern(pattern: string): void {
    const { degree, choices } = costOfPattern(pattern);
    addCost(degree, choices);
  }

  function addCost(degree: number, choices: number): void {
    found.cheapBytes = Math.min(found.cheapBytes, (MAX_STEPS / 2 ** choices) ** (1 / degree));
  }
}

/** The schemas that others refer to, directly or not. */
export type ReferenceClosure = {
  /** Each after its own references, unless they are recursive. */
  readonly references: readonly string[];
  /** The size up to which a value is cheap to check; 0 where the time may be exponential. */
  readonly cheapBytes: number;
};

/**
 * Follows the references of schemas.
 *
 * @param costOf returns the cost of the target of a reference
 */
export function followReferences(root: CheckCost, costOf: (reference: string) => CheckCost): ReferenceClosure {
  const costs = new Map<string, CheckCost>();
  const ancestors = new Set<string>();
  const found = { isRecursive: false };
  visit(root.references);
  const all = [root, ...costs.values()];
  const isExponential = found.isRecursive && all.some(({ isBranching }) => isBranching);
  const cheapBytes = isExponential ? 0 : Math.min(...all.map((cost) => cost.cheapBytes));
  return { references: [...costs.keys()], cheapBytes };

  function visit(references: readonly string[]): void {
    for (const reference of references) {
      if (ancestors.has(reference)) found.isRecursive = true;
      if (ancestors.has(reference) || costs.has(reference)) continue;
      ancestors.add(reference);
      const cost = costOf(reference);
      visit(cost.references);
      ancestors.delete(reference);
      costs.set(reference, cost);
    }
  }
}

/** Counts the characters of all strings in a value. Estimates its size for {@link CheckCost}. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, member]) => sum + name.length + textLength(member), 0);
}
