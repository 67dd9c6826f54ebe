import { keywordsWhere, subschemasOf } from './keywords.ts';

type Node = Readonly<Record<string, unknown>>;

// Takes around 0.1 s.
const MAX_STEPS = 10_000_000;
// The URL expression of ajv-formats backtracks over the userinfo, the password and the host.
const URL_DEGREE = 2;
// In a recursive schema, these keywords may check a value repeatedly at each level.
const REPEATING = keywordsWhere(({ applicator, overlaps }) => applicator === 'in-place' || overlaps === true);

/** The estimated cost of validating against schemas. */
export type CheckCost = {
  /** The maximum size of a value that is cheap to validate; small if a regular expression may backtrack. */
  readonly cheapBytes: number;
  /** Whether a value may be validated more than once. */
  readonly isBranching: boolean;
  /** The `$ref`s of the schemas. The cost of their targets is not included. */
  readonly references: readonly string[];
};

/** Estimates the cost of validating against schemas. */
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

/** All direct and indirect references of schemas. */
export type ReferenceClosure = {
  /** The references in dependency order, except for recursive references. */
  readonly references: readonly string[];
  /** The maximum size of a value that is cheap to validate; 0 if the time may be exponential. */
  readonly cheapBytes: number;
};

/**
 * Collects the references of schemas, transitively, and their total cost.
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

/**
 * Estimates the size of a value for {@link CheckCost}: the characters of its names and strings, and 1 per other scalar.
 */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, member]) => sum + name.length + textLength(member), 0);
}

// Matches a token of a regular expression: an escape, a class, a group start, a quantifier, or any other character.
const TOKEN =
  /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|[^])|\[(?:\\[^]|[^\]\\])*\]|\((?:\?(?:<?[=!]|<[^>]*>|[a-z-]*:))?|(?:[*+?]|\{\d+(?:,\d*)?\})\??|[^]/gu;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??$/;
const FIXED = /^\{(\d+)(?:,\1)?\}/;
const AT_MOST_ONCE = /^(?:\?|\{0,1\}|\{1\})/;
const BACKREFERENCE = /^\\(?:[1-9]|k<)/;

/** An upper bound of the matching steps: `2 ** choices * length ** degree`. */
type PatternCost = { readonly degree: number; readonly choices: number };

type Group = { degree: number; choices: number; readonly atoms: string[]; isSimple: boolean };

/**
 * Estimates the worst-case matching time of a regular expression. `degree` is infinite if the time may be exponential,
 * such as for a repeated group that can match in several ways.
 */
function costOfPattern(pattern: string): PatternCost {
  const open: Group[] = [];
  let group = newGroup();
  let last: Group | undefined; // The group that was closed by the previous token; a quantifier may follow.
  let degree = 0;
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (QUANTIFIER.test(token)) {
      if (group.atoms.length === 1) group.isSimple = false;
      if (last !== undefined) addRepetition(group, last, token);
      else if (FIXED.test(token)) continue;
      else if (AT_MOST_ONCE.test(token)) group.choices += 1;
      else group.degree += 1;
      last = undefined;
      continue;
    }
    if (last !== undefined) add(group, last);
    last = undefined;
    if (token.startsWith('(')) {
      group.isSimple = false;
      open.push(group);
      group = newGroup();
    } else if (token === ')') {
      last = group;
      group = open.pop() ?? newGroup();
    } else if (token === '|') {
      group.choices += 1;
      if (open.length === 0) degree = 1; // The anchor applies to the first branch only.
    } else {
      if (BACKREFERENCE.test(token)) group.degree = Infinity;
      group.atoms.push(token);
    }
  }
  if (last !== undefined) add(group, last);
  if (!pattern.startsWith('^')) degree = 1;
  return { degree: Math.max(1, group.degree + degree), choices: group.choices };
}

function newGroup(): Group {
  return { degree: 0, choices: 0, atoms: [], isSimple: true };
}

function add(group: Group, part: Group): void {
  group.degree += part.degree;
  group.choices += part.choices;
}

function addRepetition(group: Group, { degree, choices, ...rest }: Group, quantifier: string): void {
  const isPlain = degree === 0 && choices === 0;
  if (AT_MOST_ONCE.test(quantifier)) add(group, { ...rest, degree, choices: choices + 1 });
  else if (!isPlain || !FIXED.test(quantifier)) {
    const isUnambiguous = isPlain || isSeparated({ ...rest, degree, choices });
    add(group, { ...rest, degree: isUnambiguous ? 1 : Infinity, choices: 0 });
  }
}

/** Returns whether a group starts with a separator that the rest of the group cannot match, as in `-[a-z]+`. */
function isSeparated({ degree, choices, atoms, isSimple }: Group): boolean {
  const [first = '', ...others] = atoms;
  const separator = /^\\[^\w]$/.test(first) ? first.slice(1) : first;
  if (degree > 1 || choices > 0 || !isSimple || separator.length !== 1 || /^[.^$]/.test(first)) return false;
  return others.every((atom) => !new RegExp(`^(?:${atom})$`, 'u').test(separator));
}
