import { keywordsWhere } from '@contract-first/contract';

/*
 * Redocly looks up names of the document in plain objects and finds inherited members: a property called `constructor`
 * or `valueOf` makes it fail or report nonsense. So such names are marked before it reads the document.
 */
const MARK = '\uE000'; // From the private use area, so no name in a document contains it.
const MARK_IN_TYPESCRIPT = '\\uE000';

/** Copies a parsed document and marks every name that plain objects inherit, and `$ref` in data, where it is a name. */
export function escapePrototypeNames(node: unknown): unknown {
  return renamed(node, (name, isData) =>
    name in Object.prototype || (isData && name === '$ref') ? MARK + name : name,
  );
}

/** Copies a marked document with its original names. */
export function unmarkNames(node: unknown): unknown {
  return renamed(node, unmark);
}

/** Restores the original names in a message about a marked document, or in TypeScript generated from it. */
export function unmark(text: string): string {
  return text.replaceAll(MARK, '').replaceAll(MARK_IN_TYPESCRIPT, '');
}

// Their members have names of the document, which are no keywords.
const MAPS = [
  ...['responses', 'parameters', 'headers', 'requestBodies', 'callbacks', 'links', 'pathItems', 'paths', 'content'],
  ...['encoding', 'mediaTypes', 'variables', 'mapping', 'securitySchemes', 'webhooks', 'examples'],
  ...['schemas', ...keywordsWhere(({ holds }) => holds === 'map')],
];
const DATA = ['example', 'default', 'const', 'enum'];

type Rename = (name: string, isData: boolean) => string;

/** @param parents the names of the members that lead to the node, the last two */
function renamed(node: unknown, rename: Rename, isData = false, [outer, key]: readonly string[] = ['', '']): unknown {
  // `required` lists property names, so they are renamed like the properties.
  if (typeof node === 'string' && key === 'required') return rename(node, isData);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) {
    // The examples of a schema are a list; those of other objects have names, and may be references.
    const isList = isData || (key === 'examples' && !MAPS.includes(outer ?? ''));
    return node.map((item) => renamed(item, rename, isList, ['', key === 'required' ? key : '']));
  }
  const isMap = MAPS.includes(key ?? '') && !MAPS.includes(outer ?? '');
  return Object.fromEntries(
    Object.entries(node).map(([name, member]) => {
      const isValue = outer === 'examples' && (name === 'value' || name === 'dataValue');
      const isDataMember = isData || isValue || (!isMap && DATA.includes(name));
      return [
        rename(name, isData),
        renamed(member, rename, isDataMember, [isMap && key !== 'examples' ? '' : (key ?? ''), name]),
      ];
    }),
  );
}
