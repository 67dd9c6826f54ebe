import { keywordsWhere } from '@contract-first/contract';

/*
 * Redocly looks up names of the document in plain objects, where it finds inherited members: a property `constructor`
 * or `valueOf` causes errors or wrong reports. Such names are marked before Redocly reads the document.
 */
const MARK = '\uE000'; // A private use character, which no name in a document contains.
const MARK_IN_TYPESCRIPT = '\\uE000';

/**
 * Copies a parsed document and marks every name that plain objects inherit, also in references, and `$ref` in data, where it
 * is a name.
 */
export function escapePrototypeNames(node: unknown): unknown {
  return renamed(node, (name, isData) =>
    name in Object.prototype || (isData && name === '$ref') ? MARK + name : name,
  );
}

/** Copies a marked document and restores its original names. */
export function unmarkNames(node: unknown): unknown {
  return renamed(node, unmark);
}

/** Restores the original names in a message about a marked document, or in generated TypeScript. */
export function unmark(text: string): string {
  return text.replaceAll(MARK, '').replaceAll(MARK_IN_TYPESCRIPT, '');
}

/** Keywords whose members have names of the document, which are no keywords. */
export const MAPS: readonly string[] = [
  ...['responses', 'parameters', 'headers', 'requestBodies', 'callbacks', 'links', 'pathItems', 'paths', 'content'],
  ...['encoding', 'mediaTypes', 'variables', 'mapping', 'securitySchemes', 'webhooks', 'examples'],
  ...['schemas', ...keywordsWhere(({ holds }) => holds === 'map')],
];
const DATA = ['example', 'default', 'const', 'enum'];

type Rename = (name: string, isData: boolean) => string;

/** @param parents the last two keys of the path to the node */
function renamed(node: unknown, rename: Rename, isData = false, [outer, key]: readonly string[] = ['', '']): unknown {
  // `required` lists property names, which are renamed like the properties.
  if (typeof node === 'string' && key === 'required') return rename(node, isData);
  if (typeof node === 'string' && key === '$ref' && !isData) return renamedReference(node, rename);
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) {
    // The `examples` of a schema are a list of data; other objects have a map of examples or references.
    const isList = isData || (key === 'examples' && !MAPS.includes(outer ?? ''));
    return node.map((item) => renamed(item, rename, isList, ['', key === 'required' ? key : '']));
  }
  const isMap = MAPS.includes(key ?? '') && !MAPS.includes(outer ?? '');
  return Object.fromEntries(
    Object.entries(node).map(([name, member]) => {
      const isValue = outer === 'examples' && (name === 'value' || name === 'dataValue');
      if (isMap && key === 'mapping' && typeof member === 'string')
        return [rename(name, isData), renamedReference(member, rename)];
      const isDataMember = isData || isValue || (!isMap && DATA.includes(name));
      return [
        rename(name, isData),
        renamed(member, rename, isDataMember, [isMap && key !== 'examples' ? '' : (key ?? ''), name]),
      ];
    }),
  );
}

/** Renames the steps of the JSON pointer of a reference. */
function renamedReference(reference: string, rename: Rename): string {
  const [file = '', fragment] = reference.split('#');
  if (fragment === undefined) return reference;
  const steps = fragment.split('/').map((step, index) => (index === 0 ? step : rename(step, false)));
  return `${file}#${steps.join('/')}`;
}
