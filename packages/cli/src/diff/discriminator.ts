import { report, type Comparison } from './comparison.ts';
import type { Finding } from './finding.ts';
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
} from './node.ts';
import { keywordNodes, type Leaf, type Schema } from './schema-reader.ts';

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
  const found = (aspect: string, effect: 'narrows' | 'unsure', name: string, node: Node): Finding =>
    report(at, `discriminator-mapping-${aspect}`, effect, `discriminator value ${name} was ${aspect}`, node);
  const isRequest = at.subject.startsWith('request');
  return [
    ...[...mappings.base].flatMap(([name, node]) => {
      const partner = mappings.revision.get(name);
      if (partner === undefined) return [found('deleted', 'narrows', name, node)];
      return at.same({ base: [node], revision: [partner] });
    }),
    // The schema of the discriminator allowed such objects before, but clients may not handle the new value.
    ...[...mappings.revision].flatMap(([name, node]) =>
      isRequest || mappings.base.has(name) ? [] : [found('added', 'unsure', name, node)],
    ),
  ];
}

/** Returns the schemas by the value of the property. A `oneOf` or `anyOf` is compared elsewhere. */
function mappingOf({ leaves }: Schema): ReadonlyMap<string, Node> {
  const entries = leaves.flatMap((leaf) => {
    const hasChoice = rawChild(leaf, 'oneOf') ?? rawChild(leaf, 'anyOf');
    if (hasChoice !== undefined || rawChild(leaf, 'discriminator') === undefined) return [];
    const schemas = child(child(rootOf(leaf.document), 'components'), 'schemas');
    const mapping = Object.entries(membersOf(child(child(leaf, 'discriminator'), 'mapping')?.value)).map(
      ([name, value]) => [name, mappedSchema(leaf, String(value))] as const,
    );
    return mapping.length > 0 ? mapping : [...children(schemas)].filter(([, schema]) => extendsLeaf(schema, leaf));
  });
  return new Map(entries);
}

function mappedSchema(leaf: Leaf, value: string): Node {
  const $ref = value.startsWith('#') ? value : `#/components/schemas/${value}`;
  const node = { document: leaf.document, pointer: leaf.pointer, value: { $ref } };
  return target(node) ?? node;
}

function extendsLeaf(schema: Node, { pointer }: Leaf): boolean {
  return elements(rawChild(schema, 'allOf')).some((member) => target(member)?.pointer === pointer);
}
