// Exceeds the needs of real documents, and is safe for all tools.
const MAX_COPIES = 1_000_000;
const MAX_DEPTH = 200;

type Extent = { readonly size: number; readonly depth: number };

/**
 * Asserts that the YAML aliases of a parsed file can be expanded.
 *
 * @throws with the place, if an alias is circular or the expansion is too large
 */
export function assertBoundedExpansion(file: unknown): void {
  const cache = new Map<object, Extent | undefined>();
  const path = ['#'];
  const { size } = measure(file);
  if (size - cache.size > MAX_COPIES) throw new Error('has aliases that stand for more than a million objects');

  function measure(node: unknown): Extent {
    if (typeof node !== 'object' || node === null) return { size: 0, depth: 0 };
    const found = cache.get(node);
    if (found !== undefined) return found;
    if (cache.has(node)) throw new Error(`has an alias that leads back to itself at ${path.join('/')}`);
    cache.set(node, undefined);
    let [size, depth] = [1, 1];
    for (const [name, member] of Object.entries(node)) {
      path.push(name);
      const part = measure(member);
      path.pop();
      size += part.size;
      depth = Math.max(depth, part.depth + 1);
    }
    if (depth > MAX_DEPTH) throw new Error(`is nested deeper than ${String(MAX_DEPTH)} levels at ${path.join('/')}`);
    cache.set(node, { size, depth });
    return { size, depth };
  }
}

/** A part of a document expands to too many parts. */
export class TooMany extends Error {}
