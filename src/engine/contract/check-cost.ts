import { isLiteralKeyword } from './literal-keywords.ts';
import { costOfPattern } from './pattern-cost.ts';

type Node = Readonly<Record<string, unknown>>;

// Around 0.1 s of matching.
const MAX_STEPS = 10_000_000;
// The expression of ajv-formats for URLs backtracks over the userinfo, its password and the host.
const URL_DEGREE = 2;
// In a recursive schema, these keywords may check a value repeatedly at each level.
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'dependentSchemas', 'patternProperties', 'contains'];

/**
 * Finds the size up to which a value is cheap to check against schemas. It is small where a regular expression may
 * backtrack, and 0 where the time may be exponential.
 *
 * @param root an object that contains schemas
 * @param schemas the targets of its `$ref`s, by name
 */
export function findCheapBytes(root: unknown, schemas: Node): number {
  const found = { cheapBytes: Infinity, isRecursive: false, isBranching: false };
  const seen = new Set<unknown>();
  const ancestors = new Set<unknown>();
  visit(root, '', '');
  return found.isRecursive && found.isBranching ? 0 : found.cheapBytes;

  function visit(node: unknown, key: string, parentKey: string): void {
    if (typeof node !== 'object' || node === null || isLiteralKeyword(key, parentKey)) return;
    if (ancestors.has(node)) found.isRecursive = true;
    if (seen.has(node)) return;
    seen.add(node);
    ancestors.add(node);
    const { $ref, pattern, patternProperties, format } = node as Node;
    const isAlternative = $ref !== undefined && Object.values(node).some((member) => typeof member === 'object');
    if (isAlternative || ALTERNATIVES.some((keyword) => Object.hasOwn(node, keyword))) found.isBranching = true;
    if (typeof pattern === 'string') addPattern(pattern);
    if (format === 'url') addCost(URL_DEGREE, 0);
    if (key !== 'properties') Object.keys(Object(patternProperties) as object).forEach(addPattern);
    const name = /^#\/components\/schemas\/([^/]+)/.exec(String($ref))?.[1];
    if (name !== undefined) visit(schemas[name], name, 'schemas');
    for (const [member, value] of Object.entries(node)) visit(value, member, key);
    ancestors.delete(node);
  }

  function addPattern(pattern: string): void {
    const { degree, choices } = costOfPattern(pattern);
    addCost(degree, choices);
  }

  function addCost(degree: number, choices: number): void {
    found.cheapBytes = Math.min(found.cheapBytes, (MAX_STEPS / 2 ** choices) ** (1 / degree));
  }
}

/** Counts the characters of all strings in a value. Estimates its size for {@link findCheapBytes}. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, member]) => sum + name.length + textLength(member), 0);
}
