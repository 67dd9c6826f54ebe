import { ANNOTATIONS } from './canonical.ts';
import { PairCache } from './pair-cache.ts';
import { elements, isObject, membersOf, rawChild, target, type Place } from './place.ts';

/** A schema node whose own keywords apply to a value. */
export type Leaf = Place & {
  /** Whether `null` is allowed regardless of the keywords: `anyOf: [this, { type: 'null' }]`. */
  readonly nullable: boolean;
};

/** A `oneOf` or `anyOf` with at least two alternatives other than `null`. */
export type Choice = { readonly place: Place; readonly members: readonly Place[]; readonly nullable: boolean };

/** A schema with references and `allOf` resolved. A value must satisfy every leaf and every choice. */
export type Schema = { readonly leaves: readonly Leaf[]; readonly choices: readonly Choice[] };

/** Keywords that apply other schemas to the same value. */
const APPLICATORS = ['$ref', 'allOf', 'oneOf', 'anyOf'];

/** The keywords of a schema that only makes a choice. */
const IN_CHOICES = new Set(['oneOf', 'anyOf', ...ANNOTATIONS]);

/** The schemas that have been read, for each document and value. */
const schemas = new PairCache<Schema>();

/** Reads the conjunction of the schemas at several places. Without places, it accepts everything. */
export function readSchema(places: readonly (Place | Leaf)[]): Schema {
  const [place] = places;
  if (places.length !== 1 || place === undefined || !isObject(place.value)) return readConjunction(places);
  const cache = schemas.of(place.value, place.document);
  const key = `${place.pointer} ${String('nullable' in place && place.nullable)}`;
  const schema = cache.get(key) ?? readConjunction(places);
  cache.set(key, schema);
  return schema;
}

function readConjunction(places: readonly (Place | Leaf)[]): Schema {
  const leaves: Leaf[] = [];
  const choices: Choice[] = [];
  const seen = new Set<string>();

  const visit = (place: Place, nullable: boolean): void => {
    const id = identityOf({ ...place, nullable });
    if (seen.has(id)) return;
    seen.add(id);

    const referenced = target(place);
    if (referenced !== undefined) visit(referenced, nullable);
    // OpenAPI 3.0 ignores the siblings of a `$ref`.
    if (referenced !== undefined && isVersion30(place)) return;
    leaves.push({ ...place, nullable, value: place.value === false ? { type: [] } : place.value });
    for (const member of elements(rawChild(place, 'allOf'))) visit(member, nullable);
    for (const keyword of ['oneOf', 'anyOf']) {
      const choice = rawChild(place, keyword);
      const all = elements(choice).flatMap((member) => flattenChoice(member));
      const members = all.filter((member) => !acceptsOnlyNull(member));
      const withNull = nullable || members.length < all.length;
      const [only = all[0]] = members;
      if (only !== undefined && members.length < 2) visit(only, withNull);
      else if (choice !== undefined && members.length > 1) choices.push({ place: choice, members, nullable: withNull });
    }
  };
  for (const place of places) visit(place, 'nullable' in place && place.nullable);
  return { leaves, choices };
}

/** Returns the keywords of a schema without its choices, to be combined with one of the alternatives. */
export function withoutChoices({ leaves }: Schema): readonly Leaf[] {
  return leaves.map((leaf) => {
    const own = Object.entries(membersOf(leaf.value)).filter(([name]) => !APPLICATORS.includes(name));
    return { ...leaf, value: Object.fromEntries(own) };
  });
}

/** Returns a key that identifies a place, including its set of keywords: some places omit a part of their schema. */
export function identityOf(place: Place & { readonly nullable?: boolean }): string {
  const shape = isObject(place.value) ? shapeOf(place.value) : String(place.value);
  return `${place.pointer} ${String(place.nullable === true)} ${shape}`;
}

const shapes = new WeakMap<object, string>();

function shapeOf(schema: Readonly<Record<string, unknown>>): string {
  const cached = shapes.get(schema);
  if (cached !== undefined) return cached;
  const shape = `${Object.keys(schema).join()} ${JSON.stringify(schema['type'] ?? null)}`;
  shapes.set(schema, shape);
  return shape;
}

/** Returns the values of a keyword in all leaves that have it. */
export function keywordValues({ leaves }: Schema, keyword: string): readonly unknown[] {
  return leaves.flatMap(({ value }) => membersOf(value)[keyword] ?? []);
}

/** Returns the places of a keyword in all leaves that have it. */
export function keywordPlaces({ leaves }: Schema, keyword: string): readonly Place[] {
  return leaves.flatMap((leaf) => rawChild(leaf, keyword) ?? []);
}

/** Returns whether a document is OpenAPI 3.0, whose schemas differ from JSON Schema. */
export function isVersion30({ document }: Place): boolean {
  return document.openapi.startsWith('3.0');
}

/** Returns the alternatives of an alternative that only makes a choice, otherwise the alternative itself. */
function flattenChoice(member: Place, seen: readonly string[] = []): readonly Place[] {
  const place = target(member) ?? member;
  const choices = ['oneOf', 'anyOf'].flatMap((keyword) => rawChild(place, keyword) ?? []);
  const isChoiceOnly = choices.length === 1 && Object.keys(membersOf(place.value)).every((key) => IN_CHOICES.has(key));
  if (!isChoiceOnly || seen.includes(place.pointer)) return [member];
  return elements(choices[0]).flatMap((inner) => flattenChoice(inner, [...seen, place.pointer]));
}

function acceptsOnlyNull(place: Place): boolean {
  const { type, const: constant, enum: values } = membersOf(place.value);
  return type === 'null' || constant === null || (Array.isArray(values) && values.every((value) => value === null));
}
