import { directionOf, type Described } from './comparison.ts';
import { elements, isSet, membersOf, rawChild, type Node } from './node.ts';
import { keywordNodes, readSchema, type Schema } from './schema-reader.ts';

/** One property of an object. */
export type Property = {
  /** The schemas that apply to it, also those for properties that are not declared by name. */
  readonly nodes: readonly Node[];
  /** Whether it is declared by name, at least as required. */
  readonly declared: boolean;
  readonly required: boolean;
  /** Whether it is not sent in this direction: `readOnly` in a request, `writeOnly` in a response. */
  readonly hidden: boolean;
};

/** Returns the names of the properties that a schema declares or requires. */
export function propertyNames(schema: Schema): ReadonlySet<string> {
  const declared = keywordNodes(schema, 'properties').flatMap(({ value }) => Object.keys(membersOf(value)));
  return new Set([...declared, ...requiredOf(schema)]);
}

/** Returns the names of the required properties. */
export function requiredOf(schema: Schema): ReadonlySet<string> {
  const names = keywordNodes(schema, 'required').flatMap((node) => elements(node));
  return new Set(names.map(({ value }) => String(value)));
}

/** Reads a property of an object, in the direction of a value. */
export function readProperty(at: Described, schema: Schema, name: string, required: boolean): Property {
  const declarations = keywordNodes(schema, 'properties').flatMap((node) => rawChild(node, name) ?? []);
  const hiding = directionOf(at) === 'request' ? 'readOnly' : 'writeOnly';
  return {
    nodes: nodesOfMember(schema, (leaf) => [
      ...[rawChild(leaf, 'properties')].flatMap((node) => (node && rawChild(node, name)) ?? []),
      ...patternNodes(leaf)
        .filter(([pattern]) => matches(pattern, name))
        .map(([, node]) => node),
    ]),
    declared: declarations.length > 0 || required,
    required,
    hidden: readSchema(declarations).leaves.some((leaf) => isSet(leaf, hiding)),
  };
}

/** Returns the patterns of `patternProperties`. */
export function patternsOf(schema: Schema): ReadonlySet<string> {
  return new Set(schema.leaves.flatMap((leaf) => patternNodes(leaf).map(([pattern]) => pattern)));
}

/** Returns the schemas of the properties that match a pattern. */
export function nodesOfPattern(schema: Schema, pattern: string): readonly Node[] {
  return nodesOfMember(schema, (leaf) => {
    const nodes = patternNodes(leaf);
    return nodes.filter(([name]) => name === pattern).map(([, node]) => node);
  });
}

/** Returns the schemas of the properties that are not declared. */
export function additionalOf(schema: Schema): readonly Node[] {
  return nodesOfMember(schema, () => []);
}

/**
 * Returns the schemas that apply to a member of an object.
 *
 * @param declared returns those by which a leaf declares the member; those for other members apply without any
 */
function nodesOfMember({ leaves }: Schema, declared: (leaf: Node) => readonly Node[]): readonly Node[] {
  const evaluated = leaves.flatMap((leaf) => {
    const own = declared(leaf);
    return own.length > 0 ? own : (rawChild(leaf, 'additionalProperties') ?? []);
  });
  const nodes =
    evaluated.length > 0 ? evaluated : leaves.flatMap((leaf) => rawChild(leaf, 'unevaluatedProperties') ?? []);
  return nodes.filter(({ value }) => value !== true);
}

function patternNodes(leaf: Node): readonly (readonly [string, Node])[] {
  const all = rawChild(leaf, 'patternProperties');
  return Object.keys(membersOf(all?.value)).flatMap((pattern) => {
    const node = all && rawChild(all, pattern);
    return node === undefined ? [] : [[pattern, node] as const];
  });
}

function matches(pattern: string, name: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(name);
  } catch {
    return false; // Not a pattern of ECMAScript.
  }
}

/** Returns whether no value is allowed. */
export function isForbidden(nodes: readonly Node[]): boolean {
  return nodes.some(({ value }) => value === false);
}
