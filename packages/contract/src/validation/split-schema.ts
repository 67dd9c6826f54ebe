import { hash } from 'node:crypto';
import { keywordsWhere } from './keywords.ts';

type Node = Record<string, unknown>;

/** The parts of a split schema. */
export type SplitSchema = {
  /** The parts by reference, in dependency order. Equal parts share a reference. */
  readonly parts: ReadonlyMap<string, unknown>;
  /** For each large list or map of schemas, the reference to the part that validates it. */
  readonly groups: ReadonlyMap<object, string>;
};

/** A keyword with a list of parts, each with a `oneOf`. Exactly one schema of all these lists must match. */
export const ONE_OF_GROUPS = 'oneOfGroups';

/** The keywords whose large lists and maps are divided into groups, with the keyword that combines the groups. */
export const GROUP_KEYWORDS: Readonly<Record<string, string>> = {
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
// For fewer members, calling the parts costs more time than it saves.
const MAX_UNGROUPED = 200;
const SINGLE = keywordsWhere(({ holds, applicator }) => holds === 'one' && applicator !== undefined);

/**
 * Splits a schema into parts that compile quickly. Replaces large subschemas with `$ref`s, in place. Keeps large lists
 * and maps, since other keywords and the search for violations read them.
 */
export function splitSchema(schema: unknown): SplitSchema {
  const parts = new Map<string, unknown>();
  const groups = new Map<object, string>();
  measure(schema);
  return { parts, groups };

  /** Replaces the large subschemas of a schema. Returns the number of remaining members. */
  function measure(node: unknown): number {
    if (!isObject(node)) return 1;
    let count = Object.keys(node).length;
    for (const keyword of SINGLE) count += replaceLarge(node, keyword);
    for (const [keyword, combination] of Object.entries(GROUP_KEYWORDS)) {
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
    // `properties` reads the defaults of its schemas.
    holder[key] = { ...addPart(subschema), ...('default' in subschema && { default: subschema['default'] }) };
    return 1;
  }

  /** Adds parts for the entries of a list or map, and a part that combines them. */
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

/** Divides the entries of a list or map into groups of at most `MAX_MEMBERS` members. */
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
    // `prefixItems` is positional: skipped positions accept any item.
    const entries: readonly unknown[] = holder;
    return keyword === 'prefixItems' ? entries.slice(0, end).fill(true, 0, start) : entries.slice(start, end);
  });
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
