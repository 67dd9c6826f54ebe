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

/** Compares which property tells kinds of objects apart, and the kinds that only a discriminator leads to. */
export function compareDiscriminators(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before] = keywordPlaces(base, 'discriminator');
  const [after] = keywordPlaces(revision, 'discriminator');
  const [old, now] = [before, after].map((place) => textAt(place, 'propertyName'));
  if (old === undefined || now === undefined) return [];
  if (old !== now) {
    const text = `kinds are told apart by ${now}, not by ${old} any more`;
    return [report(at, 'discriminator-property-name-changed', 'differs', text, after)];
  }
  const kinds = { base: kindsOf(base), revision: kindsOf(revision) };
  const found = (aspect: string, effect: 'narrows' | 'unsure', name: string, place: Place): Finding =>
    report(at, `discriminator-mapping-${aspect}`, effect, `kind ${name} was ${aspect}`, place);
  const isRequest = at.subject.startsWith('request');
  return [
    ...[...kinds.base].flatMap(([name, place]) => {
      const partner = kinds.revision.get(name);
      if (partner === undefined) return [found('deleted', 'narrows', name, place)];
      return at.same({ base: [place], revision: [partner] });
    }),
    // The discriminator's own schema allowed such an object before, but clients may not know what to do with it.
    ...[...kinds.revision].flatMap(([name, place]) =>
      isRequest || kinds.base.has(name) ? [] : [found('added', 'unsure', name, place)],
    ),
  ];
}

/** The kinds by the value of the property. Where there is a `oneOf` or `anyOf`, its alternatives are the kinds. */
function kindsOf({ leaves }: Schema): ReadonlyMap<string, Place> {
  const kinds = leaves.flatMap((leaf) => {
    const hasChoice = rawChild(leaf, 'oneOf') ?? rawChild(leaf, 'anyOf');
    if (hasChoice !== undefined || rawChild(leaf, 'discriminator') === undefined) return [];
    const schemas = child(child(rootOf(leaf.document), 'components'), 'schemas');
    const mapping = Object.entries(membersOf(child(child(leaf, 'discriminator'), 'mapping')?.value)).map(
      ([name, value]) => [name, mappedSchema(leaf, String(value))] as const,
    );
    return mapping.length > 0 ? mapping : [...children(schemas)].filter(([, schema]) => extendsLeaf(schema, leaf));
  });
  return new Map(kinds);
}

function mappedSchema(leaf: Leaf, value: string): Place {
  const $ref = value.startsWith('#') ? value : `#/components/schemas/${value}`;
  const place = { document: leaf.document, pointer: leaf.pointer, value: { $ref } };
  return target(place) ?? place;
}

function extendsLeaf(schema: Place, { pointer }: Leaf): boolean {
  return elements(rawChild(schema, 'allOf')).some((member) => target(member)?.pointer === pointer);
}
