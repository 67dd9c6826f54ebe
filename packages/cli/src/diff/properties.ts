import { directionOf, report, type Comparison } from './comparison.ts';
import { findEarlyRemoval, findSunsetProblem } from './deprecation.ts';
import { finding, LEVELS, type Effect, type Finding } from './finding.ts';
import { elements, isSet, membersOf, rawChild, type Pair, type Place } from './place.ts';
import { keywordPlaces, keywordValues, readSchema, type Schema } from './schema-reader.ts';

/** One property of an object. */
type Property = {
  /** The schemas that apply to it, also those for properties that are not declared by name. */
  readonly places: readonly Place[];
  /** Whether it is declared by name, at least as required. */
  readonly declared: boolean;
  readonly required: boolean;
  /** Whether it is not sent in this direction: `readOnly` in a request, `writeOnly` in a response. */
  readonly hidden: boolean;
};

/** Compares objects: their properties, and the schemas of properties by pattern and of all others. */
export function compareObjects(at: Comparison, schemas: Pair<Schema>): readonly Finding[] {
  return [
    ...compareProperties(at, schemas),
    ...comparePatterns(at, schemas),
    ...compareAdditional(at, schemas),
    ...comparePropertyNames(at, schemas),
  ];
}

function compareProperties(at: Comparison, { base: before, revision: after }: Pair<Schema>): readonly Finding[] {
  const required = { base: requiredOf(before), revision: requiredOf(after) };
  const names = new Set([...declaredIn(before), ...required.base, ...declaredIn(after), ...required.revision]);
  return [...names].flatMap((name) => {
    const base = readProperty(at, before, name, required.base.has(name));
    const revision = readProperty(at, after, name, required.revision.has(name));
    const isSent = { base: base.declared && !base.hidden, revision: revision.declared && !revision.hidden };
    const parts = { base: base.places, revision: revision.places };
    if (isSent.base && isSent.revision)
      return [
        ...compareRequired(at, name, { base, revision }, after),
        ...compareSunsets(at, name, { base, revision }),
        ...at.part(name, parts),
      ];
    if (isSent.base && base.places.length === 0) {
      // The base requires the property without declaring it, so only the requirement can be removed.
      return compareRequired(at, name, { base, revision: { ...base, required: false } }, after);
    }
    // The schema for other properties may apply on the other side.
    const isTyped = [base, revision].every(
      ({ places, hidden }) => places.length > 0 && !hidden && !isForbidden(places),
    );
    const rest = isTyped ? at.part(name, parts) : [];
    if (isSent.base) return [...removed(at, name, { base, revision }), ...rest];
    return isSent.revision ? [...added(at, name, { base, revision }), ...rest] : [];
  });
}

function comparePatterns(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before, after] = [patternsOf(base), patternsOf(revision)];
  return [...before.union(after)].flatMap((pattern) => {
    const places = { base: placesOfPattern(base, pattern), revision: placesOfPattern(revision, pattern) };
    const found = (aspect: string, effect: Effect, place: Place | undefined): readonly Finding[] => [
      report(at, `pattern-property-${aspect}`, effect, `properties that match ${pattern} were ${aspect}`, place),
    ];
    // An empty schema says nothing, unless other properties are forbidden.
    const isFree = [...places.base, ...places.revision].every(
      ({ value }) => Object.keys(membersOf(value)).length === 0,
    );
    if (isFree && !isForbidden([...places.base, ...places.revision])) return [];
    if (!before.has(pattern) && places.base.length === 0) return found('added', 'narrows', places.revision[0]);
    if (!before.has(pattern) && isForbidden(places.base)) return found('added', openingOf(at), places.revision[0]);
    if (!after.has(pattern) && places.revision.length === 0) return found('removed', 'widens', places.base[0]);
    if (!after.has(pattern) && isForbidden(places.revision)) return found('removed', 'narrows', places.base[0]);
    return at.part(pattern, places);
  });
}

/** Compares the constraints on undeclared properties. */
function compareAdditional(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before, after] = [additionalOf(base), additionalOf(revision)];
  const [place] = keywordPlaces(revision, 'additionalProperties');
  const found = (aspect: string, effect: Effect, text: string): readonly Finding[] => [
    report(at, `additional-properties-${aspect}`, effect, text, place),
  ];
  if (isForbidden(before)) {
    return isForbidden(after) ? [] : found('opened', openingOf(at), 'other properties are allowed');
  }
  if (isForbidden(after)) return found('closed', 'narrows', 'other properties are no longer allowed');
  return at.part('*', { base: before, revision: after });
}

function comparePropertyNames(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const places = { base: keywordPlaces(base, 'propertyNames'), revision: keywordPlaces(revision, 'propertyNames') };
  const [place] = places.revision;
  if (place === undefined) {
    const isRemoved = places.base.length > 0;
    return isRemoved ? [report(at, 'property-names-removed', 'widens', 'propertyNames was removed')] : [];
  }
  if (places.base.length > 0) return at.part('(names)', places);
  return [report(at, 'property-names-added', 'narrows', 'propertyNames was added', place)];
}

/** Returns the effect of allowing more properties: most clients ignore unknown ones, but some validate responses. */
function openingOf(at: Comparison): Effect {
  return directionOf(at) === 'request' ? 'widens' : 'unsure';
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

function compareSunsets(at: Comparison, name: string, { base, revision }: Pair<Property>): readonly Finding[] {
  const [before] = base.places;
  const [place] = revision.places;
  if (before === undefined || place === undefined) return [];
  const problem = findSunsetProblem({ base: before, revision: place });
  if (problem === undefined) return [];
  // Clients in both directions rely on the date.
  return [found(at, problem.aspect, 'differs', name, place, problem.change)];
}

function removed(at: Comparison, name: string, { base, revision }: Pair<Property>): readonly Finding[] {
  const place = base.places[0] ?? at.place;
  const kind = base.required ? 'required' : 'optional';
  const effect = base.required ? 'widens' : 'unsure';
  const early = revision.hidden ? undefined : findEarlyRemoval(place, at.today);
  // Clients in both directions rely on the date.
  if (early !== undefined) return [found(at, 'removed-before-sunset', 'differs', name, place, early)];
  if (directionOf(at) === 'response') {
    const aspect = `${kind}-property-${revision.hidden ? 'became-write-only' : 'removed'}`;
    return [found(at, aspect, effect, name, place, revision.hidden ? 'became writeOnly' : 'was removed')];
  }
  if (revision.hidden) return [found(at, `${kind}-property-became-read-only`, 'none', name, place, 'became readOnly')];
  const effectInRequest = isForbidden(revision.places) ? 'narrows' : 'unsure';
  return [found(at, 'property-removed', effectInRequest, name, place, 'was removed')];
}

function added(at: Comparison, name: string, { base, revision }: Pair<Property>): readonly Finding[] {
  const place = revision.places[0] ?? at.place;
  const kind = revision.required ? 'required' : 'optional';
  if (directionOf(at) === 'response') {
    const aspect = `${kind}-property-${base.hidden ? 'became-not-write-only' : 'added'}`;
    const effect = isForbidden(base.places) ? 'unsure' : 'none';
    return [found(at, aspect, effect, name, place, base.hidden ? 'is no longer writeOnly' : 'was added')];
  }
  const effect = revision.required ? 'narrows' : 'widens';
  if (base.hidden) {
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

function declaredIn(schema: Schema): readonly string[] {
  return keywordPlaces(schema, 'properties').flatMap(({ value }) => Object.keys(membersOf(value)));
}

function requiredOf(schema: Schema): ReadonlySet<string> {
  const names = keywordPlaces(schema, 'required').flatMap((place) => elements(place));
  return new Set(names.map(({ value }) => String(value)));
}

function readProperty(at: Comparison, schema: Schema, name: string, required: boolean): Property {
  const declarations = keywordPlaces(schema, 'properties').flatMap((place) => rawChild(place, name) ?? []);
  const hiding = directionOf(at) === 'request' ? 'readOnly' : 'writeOnly';
  return {
    places: placesOfMember(schema, (leaf) => [
      ...[rawChild(leaf, 'properties')].flatMap((place) => (place && rawChild(place, name)) ?? []),
      ...patternPlaces(leaf)
        .filter(([pattern]) => matches(pattern, name))
        .map(([, place]) => place),
    ]),
    declared: declarations.length > 0 || required,
    required,
    hidden: readSchema(declarations).leaves.some((leaf) => isSet(leaf, hiding)),
  };
}

function patternsOf(schema: Schema): ReadonlySet<string> {
  return new Set(schema.leaves.flatMap((leaf) => patternPlaces(leaf).map(([pattern]) => pattern)));
}

function placesOfPattern(schema: Schema, pattern: string): readonly Place[] {
  return placesOfMember(schema, (leaf) => {
    const places = patternPlaces(leaf);
    return places.filter(([name]) => name === pattern).map(([, place]) => place);
  });
}

function additionalOf(schema: Schema): readonly Place[] {
  return placesOfMember(schema, () => []);
}

/**
 * Returns the schemas that apply to a member of an object.
 *
 * @param declared returns those by which a leaf declares the member; those for other members apply without any
 */
function placesOfMember({ leaves }: Schema, declared: (leaf: Place) => readonly Place[]): readonly Place[] {
  const evaluated = leaves.flatMap((leaf) => {
    const own = declared(leaf);
    return own.length > 0 ? own : (rawChild(leaf, 'additionalProperties') ?? []);
  });
  const places =
    evaluated.length > 0 ? evaluated : leaves.flatMap((leaf) => rawChild(leaf, 'unevaluatedProperties') ?? []);
  return places.filter(({ value }) => value !== true);
}

function patternPlaces(leaf: Place): readonly (readonly [string, Place])[] {
  const all = rawChild(leaf, 'patternProperties');
  return Object.keys(membersOf(all?.value)).flatMap((pattern) => {
    const place = all && rawChild(all, pattern);
    return place === undefined ? [] : [[pattern, place] as const];
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
function isForbidden(places: readonly Place[]): boolean {
  return places.some(({ value }) => value === false);
}

function hasDefault({ places }: Property): boolean {
  return keywordValues(readSchema(places), 'default').length > 0;
}
