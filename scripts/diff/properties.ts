import { directionOf, report, type Comparison } from './comparison.ts';
import { finding, LEVELS, type Effect, type Finding } from './finding.ts';
import { children, elements, isSet, rawChild, type Pair, type Place } from './place.ts';
import { keywordPlaces, keywordValues, readSchema, type Schema } from './schema-reader.ts';

/** The declarations of one property. */
type Property = {
  readonly places: readonly Place[];
  readonly required: boolean;
  /** Whether it is not sent in this direction: `readOnly` in a request, `writeOnly` in a response. */
  readonly hidden: boolean;
};

/** Compares the properties of objects: their names, whether they are required, and their schemas. */
export function compareProperties(at: Comparison, schemas: Pair<Schema>): readonly Finding[] {
  const before = propertiesOf(at, schemas.base);
  const after = propertiesOf(at, schemas.revision);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const base = before.get(name);
    const revision = after.get(name);
    const isSent = { base: base?.hidden === false, revision: revision?.hidden === false };
    if (base && revision && isSent.base && isSent.revision) {
      const parts = at.part(name, { base: base.places, revision: revision.places });
      return [...compareRequired(at, name, { base, revision }, schemas.revision), ...parts];
    }
    if (base && isSent.base && base.places.length === 0) {
      // The base requires the property without declaring it, so only the requirement can be removed.
      return compareRequired(at, name, { base, revision: { ...base, required: false } }, schemas.revision);
    }
    if (base && isSent.base) return removed(at, name, base, revision, schemas.revision);
    return revision && isSent.revision ? added(at, name, revision, base, schemas.base) : [];
  });
}

/** Compares the constraints on undeclared properties. */
export function compareAdditional(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const before = isClosed(base);
  const after = isClosed(revision);
  const [place] = keywordPlaces(revision, 'additionalProperties');
  const found = (aspect: string, effect: Effect, text: string): readonly Finding[] => [
    report(at, `additional-properties-${aspect}`, effect, text, place),
  ];
  if (!before && after) return found('closed', 'narrows', 'other properties are no longer allowed');
  // Most clients ignore unknown properties, so this breaks only those that validate responses.
  const opened = directionOf(at) === 'request' ? 'widens' : 'unsure';
  if (before && !after) return found('opened', opened, 'other properties are allowed');
  if (before) return [];
  return at.part('*', { base: additionalOf(base), revision: additionalOf(revision) });
}

function compareRequired(
  at: Comparison,
  name: string,
  { base, revision }: Pair<Property>,
  schema: Schema,
): readonly Finding[] {
  if (base.required === revision.required) return [];
  const place = revision.places[0] ?? keywordPlaces(schema, 'required')[0] ?? at.place;
  if (!revision.required) return [found(at, 'became-optional', 'widens', name, place, 'is no longer required')];
  const withDefault = directionOf(at) === 'request' && hasDefault(revision);
  const rule = withDefault ? 'became-required-with-default' : 'became-required';
  return [found(at, rule, 'narrows', name, place, 'became required')];
}

function removed(
  at: Comparison,
  name: string,
  base: Property,
  hidden: Property | undefined,
  revision: Schema,
): readonly Finding[] {
  const place = hidden?.places[0] ?? base.places[0] ?? at.place;
  const kind = base.required ? 'required' : 'optional';
  const effect = base.required ? 'widens' : 'unsure';
  if (directionOf(at) === 'response') {
    const aspect = `${kind}-property-${hidden ? 'became-write-only' : 'removed'}`;
    return [found(at, aspect, effect, name, place, hidden ? 'became writeOnly' : 'was removed')];
  }
  if (hidden) return [found(at, `${kind}-property-became-read-only`, 'none', name, place, 'became readOnly')];
  const effectInRequest = isClosed(revision) ? 'narrows' : 'unsure';
  return [found(at, 'property-removed', effectInRequest, name, place, 'was removed')];
}

function added(
  at: Comparison,
  name: string,
  revision: Property,
  hidden: Property | undefined,
  base: Schema,
): readonly Finding[] {
  const place = revision.places[0] ?? at.place;
  const kind = revision.required ? 'required' : 'optional';
  if (directionOf(at) === 'response') {
    const aspect = `${kind}-property-${hidden ? 'became-not-write-only' : 'added'}`;
    const effect = isClosed(base) ? 'unsure' : 'none';
    return [found(at, aspect, effect, name, place, hidden ? 'is no longer writeOnly' : 'was added')];
  }
  const effect = revision.required ? 'narrows' : 'widens';
  if (hidden) {
    const aspect = `${kind}-property-became-not-read-only`;
    return [found(at, aspect, effect, name, place, 'is no longer readOnly')];
  }
  const rule = revision.required && hasDefault(revision) ? 'property-with-default' : 'property';
  return [{ ...found(at, rule, effect, name, place, `was added, ${kind}`), rule: `new-${kind}-request-${rule}` }];
}

function found(at: Comparison, aspect: string, effect: Effect, name: string, place: Place, change: string): Finding {
  const direction = directionOf(at);
  const rule = `${direction}-${aspect.includes('property') ? aspect : `property-${aspect}`}`;
  return finding(at.operation, rule, LEVELS[direction][effect], place, `${at.name}: property ${name} ${change}`);
}

function propertiesOf(at: Comparison, schema: Schema): ReadonlyMap<string, Property> {
  const declared = keywordPlaces(schema, 'properties');
  const required = new Set(
    keywordPlaces(schema, 'required').flatMap((place) => elements(place).map(({ value }) => String(value))),
  );
  const names = new Set([...declared.flatMap((place) => [...children(place).keys()]), ...required]);
  const hiding = directionOf(at) === 'request' ? 'readOnly' : 'writeOnly';
  return new Map(
    [...names].map((name) => {
      const places = declared.flatMap((place) => rawChild(place, name) ?? []);
      const hidden = readSchema(places).leaves.some((leaf) => isSet(leaf, hiding));
      return [name, { places, required: required.has(name), hidden }];
    }),
  );
}

function isClosed(schema: Schema): boolean {
  return ['additionalProperties', 'unevaluatedProperties'].some((name) => keywordValues(schema, name).includes(false));
}

function additionalOf(schema: Schema): readonly Place[] {
  return keywordPlaces(schema, 'additionalProperties').filter(({ value }) => value !== true);
}

function hasDefault({ places }: Property): boolean {
  return keywordValues(readSchema(places), 'default').length > 0;
}
