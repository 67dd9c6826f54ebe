import { directionOf, report, type Comparison } from '../rules/comparison.ts';
import type { Finding } from '../rules/finding.ts';
import {
  child,
  children,
  elements,
  membersOf,
  rawChild,
  rootOf,
  target,
  textAt,
  type Pair,
  type Node,
} from '../nodes/node.ts';
import { keywordNodes, type Leaf, type Schema } from '../nodes/schema-reader.ts';

/** Compares the property of a discriminator, and the mapped schemas that no `oneOf` or `anyOf` lists. */
export function compareDiscriminators(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before] = keywordNodes(base, 'discriminator');
  const [after] = keywordNodes(revision, 'discriminator');
  const [previous, current] = [before, after].map((node) => textAt(node, 'propertyName'));
  if (previous === undefined || current === undefined) return [];
  if (previous !== current) {
    const text = `the discriminator property ${previous} became ${current}`;
    return [report(at, 'discriminator-property-name-changed', 'differs', text, after)];
  }
  const mappings = { base: mappingOf(base), revision: mappingOf(revision) };
  const found = (aspect: string, effect: 'narrows' | 'unsure', name: string, node: Node): readonly Finding[] => [
    report(at, `discriminator-mapping-${aspect}`, effect, `discriminator value ${name} was ${aspect}`, node),
  ];
  const ofBase = [...mappings.base].flatMap(([name, node]) => {
    const partner = mappings.revision.get(name);
    if (partner !== undefined) return at.same({ base: [node], revision: [partner] });
    return isListed(revision, node) ? found('deleted', 'narrows', name, node) : [];
  });
  // Requests with a new value were valid with the schema before, but clients may not handle it.
  const added = [...mappings.revision].filter(([name, node]) => !mappings.base.has(name) && isListed(base, node));
  const isRequest = directionOf(at) === 'request';
  return [...ofBase, ...(isRequest ? [] : added.flatMap(([name, node]) => found('added', 'unsure', name, node)))];
}

/** Whether the choice of a schema has an alternative; without a choice, each mapped schema is one. */
function isListed(schema: Schema, { pointer }: Node): boolean {
  const members = schema.leaves.flatMap(membersOfChoice);
  return members.length === 0 || members.some((member) => member.pointer === pointer);
}

/** Returns the schemas by the value of the property. The name of a component that a choice lists is a value, too. */
function mappingOf({ leaves }: Schema): ReadonlyMap<string, Node> {
  const entries = leaves.flatMap((leaf) => {
    if (rawChild(leaf, 'discriminator') === undefined) return [];
    const schemas = child(child(rootOf(leaf.document), 'components'), 'schemas');
    const mapping = Object.entries(membersOf(child(child(leaf, 'discriminator'), 'mapping')?.value)).map(
      ([name, value]) => [name, mappedSchema(leaf, String(value))] as const,
    );
    const implicit = membersOfChoice(leaf).map((node) => [node.pointer.replace(/.*\//, ''), node] as const);
    if (mapping.length + implicit.length > 0) return [...implicit, ...mapping];
    return [...children(schemas)].filter(([, schema]) => extendsLeaf(schema, leaf));
  });
  return new Map(entries);
}

function membersOfChoice(leaf: Leaf): readonly Node[] {
  return ['oneOf', 'anyOf'].flatMap((keyword) => elements(rawChild(leaf, keyword)).flatMap((one) => target(one) ?? []));
}

function mappedSchema(leaf: Leaf, value: string): Node {
  const $ref = value.startsWith('#') ? value : `#/components/schemas/${value}`;
  const node = { document: leaf.document, pointer: leaf.pointer, value: { $ref } };
  return target(node) ?? node;
}

function extendsLeaf(schema: Node, { pointer }: Leaf): boolean {
  return elements(rawChild(schema, 'allOf')).some((member) => target(member)?.pointer === pointer);
}
