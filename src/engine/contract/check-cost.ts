import { isLiteralKeyword } from './keywords.ts';
import { costOfPattern } from './pattern-cost.ts';

type Node = Readonly<Record<string, unknown>>;

// Around 0.1 s. Smaller texts than this are not worth watching, whatever is done with them.
const MAX_STEPS = 10_000_000;
// With these, a recursive schema may check a value again for every alternative, at each level.
const ALTERNATIVES = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'dependentSchemas', 'patternProperties', 'contains'];

/**
 * Finds how large a value may be so that checking it against schemas is surely cheap: it becomes small where a regular
 * expression may try again and again, and 0 where the time may be exponential.
 *
 * @param root anything with schemas in it
 * @param schemas what `$ref`s in it refer to, by name
 */
export function findCheapBytes(root: unknown, schemas: Node): number {
  const found = { cheapBytes: Infinity, isRecursive: false, isBranching: false };
  const seen = new Set<unknown>();
  const within = new Set<unknown>();
  visit(root, '', '');
  return found.isRecursive && found.isBranching ? 0 : found.cheapBytes;

  function visit(node: unknown, key: string, parentKey: string): void {
    if (typeof node !== 'object' || node === null || isLiteralKeyword(key, parentKey)) return;
    if (within.has(node)) found.isRecursive = true;
    if (seen.has(node)) return;
    seen.add(node);
    within.add(node);
    const { $ref, pattern, patternProperties } = node as Node;
    const isAlternative = $ref !== undefined && Object.values(node).some((member) => typeof member === 'object');
    if (isAlternative || ALTERNATIVES.some((keyword) => Object.hasOwn(node, keyword))) found.isBranching = true;
    if (typeof pattern === 'string') weigh(pattern);
    if (key !== 'properties') Object.keys(Object(patternProperties) as object).forEach(weigh);
    const name = /^#\/components\/schemas\/([^/]+)/.exec(String($ref))?.[1];
    if (name !== undefined) visit(schemas[name], name, 'schemas');
    for (const [member, value] of Object.entries(node)) visit(value, member, key);
    within.delete(node);
  }

  function weigh(pattern: string): void {
    const { degree, choices } = costOfPattern(pattern);
    found.cheapBytes = Math.min(found.cheapBytes, (MAX_STEPS / 2 ** choices) ** (1 / degree));
  }
}

/** Counts the characters of all texts in a value: the input of {@link findCheapBytes} where no bytes are known. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  return Object.entries(value).reduce((sum, [name, member]) => sum + name.length + textLength(member), 0);
}
