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
  type Place,
} from './place.ts';
import { keywordPlaces, type Leaf, type Schema } from './schema-reader.ts';

/** Compares the property of a discriminator, and the mapped schemas that no `oneOf` or `anyOf` lists. */
export function compareDiscriminators(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before] = keywordPlaces(base, 'discriminator');
  const [after] = keywordPlaces(revision, 'discriminator');
  const [previous, current] = [before, after].map((place) => textAt(place, 'propertyName'));
  if (previous === undefined || current === undefined) return [];
  if (previous !== current) {
    const text = `the discriminator property ${previous} became ${current}`;
    return [report(at, 'discriminator-property-name-changed', 'differs', text, after)];
  }
  const mappings = { base: mappingOf(base), revision: mappingOf(revision) };
  const found = (aspect: string, effect: 'narrows' | 'unsure', name: string, place: Place): Finding =>
    report(at, `discriminator-mapping-${aspect}`, effect, `discriminator value ${name} was ${aspect}`, place);
  const isRequest = at.subject.startsWith('request');
  return [
    ...[...mappings.base].flatMap(([name, place]) => {
      const partner = mappings.revision.get(name);
      if (partner === undefined) return [found('deleted', 'narrows', name, place)];
      return at.same({ base: [place], revision: [partner] });
    }),
    // The schema of the discriminator allowed such objects before, but clients may not handle the new value.
    ...[...mappings.revision].flatMap(([name, place]) =>
      isRequest || mappings.base.has(name) ? [] : [found('added', 'unsure', name, place)],
    ),
  ];
}

/** Returns the schemas by the value of the property. A `oneOf` or `anyOf` is compared elsewhere. */
function mappingOf({ leaves }: Schema): ReadonlyMap<string, Place> {
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

function mappedSchema(leaf: Leaf, value: string): Place {
  const $ref = value.startsWith('#') ? value : `#/components/schemas/${value}`;
  const place = { document: leaf.document, pointer: leaf.pointer, value: { $ref } };
  return target(place) ?? place;
}

function extendsLeaf(schema: Place, { pointer }: Leaf): boolean {
  return elements(rawChild(schema, 'allOf')).some((member) => target(member)?.pointer === pointer);
}
