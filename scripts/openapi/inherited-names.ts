/*
 * Redocly looks up names of the document in plain objects and finds inherited members: a property called `constructor`
 * or `valueOf` makes it fail or report nonsense. So such names are marked before it reads the document.
 */
const MARK = '\uE000'; // From the private use area, so no name in a document contains it.
const MARK_IN_TYPESCRIPT = '\\uE000';

/** Copies a parsed document and marks every name that plain objects inherit. */
export function markInheritedNames(node: unknown): unknown {
  return renamed(node, (name) => (name in Object.prototype ? MARK + name : name));
}

/** Copies a marked document with its original names. */
export function unmarkNames(node: unknown): unknown {
  return renamed(node, unmark);
}

/** Restores the original names in a message about a marked document, or in TypeScript generated from it. */
export function unmark(text: string): string {
  return text.replaceAll(MARK, '').replaceAll(MARK_IN_TYPESCRIPT, '');
}

function renamed(node: unknown, rename: (name: string) => string, key = ''): unknown {
  // `required` lists property names, so they are renamed like the properties.
  if (typeof node === 'string' && key === 'required') return rename(node);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => renamed(item, rename, key));
  return Object.fromEntries(
    Object.entries(node).map(([name, member]) => [rename(name), renamed(member, rename, name)]),
  );
}
