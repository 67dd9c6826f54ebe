import { hash } from 'node:crypto';
import { keywordsWhere } from './keywords.ts';

type Node = Record<string, unknown>;

// Compiling a schema of this size takes around a millisecond.
const MAX_MEMBERS = 50;
const SINGLE = keywordsWhere(({ holds, applicator }) => holds === 'one' && applicator !== undefined);
const SEVERAL = keywordsWhere(({ holds, applicator }) => holds !== 'one' && applicator !== undefined);

/**
 * Replaces the large subschemas of a schema with `$ref`s, in place, so that each part can be compiled in a short time.
 *
 * @returns the parts by reference, each after its own references; equal parts have the same reference
 */
export function splitSchema(schema: unknown): Map<string, unknown> {
  const parts = new Map<string, unknown>();
  measure(schema);
  return parts;

  /** Returns the number of members in a schema, after its large subschemas have been replaced. */
  function measure(node: unknown): number {
    if (!isObject(node)) return 1;
    let count = Object.keys(node).length;
    for (const keyword of SINGLE) count += replaceLarge(node, keyword);
    for (const keyword of SEVERAL) {
      const holder = node[keyword];
      if (isObject(holder)) for (const key of Object.keys(holder)) count += replaceLarge(holder, key);
    }
    return count;
  }

  function replaceLarge(holder: Node, key: string): number {
    const subschema = holder[key];
    if (!isObject(subschema)) return 1;
    const count = measure(subschema);
    if (count <= MAX_MEMBERS) return count;
    const $ref = `part:${hash('sha256', JSON.stringify(subschema))}`;
    parts.set($ref, subschema);
    // The schema of an object reads the defaults of its properties.
    holder[key] = { $ref, ...('default' in subschema && { default: subschema['default'] }) };
    return 1;
  }
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}
