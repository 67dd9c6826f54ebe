import { hash } from 'node:crypto';
import { keywordsWhere } from './keywords.ts';

type Node = Record<string, unknown>;

/** The parts of a split schema. */
export type SplitSchema = {
  /** The parts by reference, each after its own references. Equal parts have the same reference. */
  readonly parts: ReadonlyMap<string, unknown>;
  /** The references to the parts that check large lists and maps of schemas, by the list or map. */
  readonly groups: ReadonlyMap<object, string>;
};

/** A list of parts that have an `oneOf` each. Exactly one schema of all of them must apply. */
export const ONE_OF_GROUPS = 'oneOfGroups';

/** The keywords whose lists and maps are checked in groups if they are large; with the keyword that combines the groups. */
export const GROUPED: Readonly<Record<string, string>> = {
  allOf: 'allOf',
  anyOf: 'anyOf',
  oneOf: ONE_OF_GROUPS,
  prefixItems: 'allOf',
  properties: 'allOf',
  patternProperties: 'allOf',
  dependentSchemas: 'allOf',
};

// Compiling a schema of this size takes around a millisecond.
const MAX_MEMBERS = 50;
// The calls of the parts cost more time than they save for fewer members.
const MAX_UNGROUPED = 200;
const SINGLE = keywordsWhere(({ holds, applicator }) => holds === 'one' && applicator !== undefined);

/**
 * Splits a schema into parts that can be compiled in a short time each. Replaces its large subschemas with `$ref`s, in
 * place. Large lists and maps stay as they are, since other keywords and the search for violations read them.
 */
export function splitSchema(schema: unknown): SplitSchema {
  const parts = new Map<string, unknown>();
  const groups = new Map<object, string>();
  measure(schema);
  return { parts, groups };

  /** Returns the number of members in a schema, after its large subschemas have been replaced. */
  function measure(node: unknown): number {
    if (!isObject(node)) return 1;
    let count = Object.keys(node).length;
    for (const keyword of SINGLE) count += replaceLarge(node, keyword);
    for (const [keyword, combination] of Object.entries(GROUPED)) {
      const holder = node[keyword];
      if (!isObject(holder)) continue;
      const sizes = Object.keys(holder).map((key) => replaceLarge(holder, key));
      const size = sizes.reduce((sum, members) => sum + members, 0);
      if (size > MAX_UNGROUPED) addGroups(keyword, combination, holder, sizes);
      count += size;
    }
    return count;
  }

  function replaceLarge(holder: Node, key: string): number {
    const subschema = holder[key];
    if (!isObject(subschema)) return 1;
    const count = measure(subschema);
    if (count <= MAX_MEMBERS) return count;
    // The schema of an object reads the defaults of its properties.
    holder[key] = { ...addPart(subschema), ...('default' in subschema && { default: subschema['default'] }) };
    return 1;
  }

  /** Adds parts for the entries of a list or map, and one that combines them. */
  function addGroups(keyword: string, combination: string, holder: Node, sizes: readonly number[]): void {
    const references = groupEntries(keyword, holder, sizes).map((entries) => addPart({ [keyword]: entries }));
    const combined = { [combination]: references };
    measure(combined);
    groups.set(holder, addPart(combined).$ref);
  }

  function addPart(part: object): { readonly $ref: string } {
    const $ref = `part:${hash('sha256', JSON.stringify(part))}`;
    parts.set($ref, part);
    return { $ref };
  }
}

/** Divides the entries of a list or map into groups with as many members as a part may have. */
function groupEntries(keyword: string, holder: Node, sizes: readonly number[]): readonly object[] {
  const grouped: string[][] = [];
  let size = Infinity;
  for (const [index, key] of Object.keys(holder).entries()) {
    size += sizes[index] ?? 0;
    const group = grouped.at(-1);
    if (group !== undefined && size <= MAX_MEMBERS) {
      group.push(key);
    } else {
      grouped.push([key]);
      size = sizes[index] ?? 0;
    }
  }
  return grouped.map((keys) => {
    if (!Array.isArray(holder)) return Object.fromEntries(keys.map((key) => [key, holder[key]]));
    const [start, end] = [Number(keys[0]), Number(keys.at(-1)) + 1];
    // The position of a schema in `prefixItems` is the position of its item.
    const entries: readonly unknown[] = holder;
    return keyword === 'prefixItems' ? entries.slice(0, end).fill(true, 0, start) : entries.slice(start, end);
  });
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
