/*
 * The linter looks up every name of a document in plain objects, and finds what every object inherits: it takes a
 * property called `constructor` or `valueOf` for something else, or fails. While it looks, such names have a mark.
 */
const MARK = '\uE000'; // In the private use area: no name has it.
const MARK_IN_TYPESCRIPT = '\\uE000';

/** A copy of a parsed document in which no name is one that every object inherits. */
export function markInheritedNames(node: unknown): unknown {
  return renamed(node, (name) => (name in Object.prototype ? MARK + name : name));
}

/** A copy of a marked document with its own names. */
export function unmarkNames(node: unknown): unknown {
  return renamed(node, unmark);
}

/** A text about a marked document, or TypeScript made from it, with the document's own names. */
export function unmark(text: string): string {
  return text.replaceAll(MARK, '').replaceAll(MARK_IN_TYPESCRIPT, '');
}

function renamed(node: unknown, rename: (name: string) => string, key = ''): unknown {
  // `required` lists names of members, so they must stay theirs.
  if (typeof node === 'string' && key === 'required') return rename(node);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => renamed(item, rename, key));
  return Object.fromEntries(
    Object.entries(node).map(([name, member]) => [rename(name), renamed(member, rename, name)]),
  );
}
