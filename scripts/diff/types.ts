import { directionOf, report, type Comparison } from './comparison.ts';
import type { Effect, Finding } from './finding.ts';
import { isSet, membersOf, type Pair } from './place.ts';
import { isVersion30, keywordValues, readSchema, type Leaf, type Schema } from './schema-reader.ts';

const ALL_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** For a format, the formats that include all its values. */
const WIDER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64', 'double'],
  float: ['double'],
  'idn-email': [],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
  uri: ['iri', 'uri-reference', 'iri-reference'],
};

/** Returns the JSON types that a schema allows, sorted. An unrestricted schema has all types; `number` covers `integer`. */
export function typesOf(schema: Schema): readonly string[] {
  return restrictedTypes(schema, new Set()) ?? ALL_TYPES;
}

/** Compares types, formats and nullability. When no value matches both schemas, the result is not `comparable`. */
export function compareTypes(
  at: Comparison,
  { base, revision }: Pair<Schema>,
): { readonly findings: readonly Finding[]; readonly comparable: boolean } {
  const before = typesOf(base);
  const after = typesOf(revision);
  const solid = { base: before.filter(isNotNull), revision: after.filter(isNotNull) };
  const formats = { base: formatOf(base), revision: formatOf(revision) };

  const ofTypes = effectOf(solid, (type, types) => acceptsType(at, types, type));
  const listed = { base: [formats.base], revision: [formats.revision] };
  const effect = ofTypes === 'none' ? effectOf(listed, acceptsFormat) : ofTypes;
  const comparable = effect !== 'differs' || solid.base.some((type) => acceptsType(at, solid.revision, type));
  const isList = solid.base.length > 1 && solid.revision.length > 1 && effect !== 'differs';
  const text = `type ${describe(before, formats.base)} became ${describe(after, formats.revision)}`;
  const findings = effect === 'none' ? [] : [report(at, ruleFor(at, effect, isList), effect, text)];

  const wasNullable = before.includes('null');
  const isCovered = ofTypes !== 'none' && (before === ALL_TYPES || after === ALL_TYPES);
  if (!comparable || isCovered || wasNullable === after.includes('null')) return { findings, comparable };
  const nullability = wasNullable
    ? report(at, 'became-not-nullable', 'narrows', 'null is no longer allowed')
    : report(at, 'became-nullable', 'widens', 'null is allowed');
  return { findings: [...findings, nullability], comparable };
}

function ruleFor(at: Comparison, effect: Effect, isList: boolean): string {
  if (isList && effect === 'narrows') return 'list-of-types-narrowed';
  if (isList && effect === 'widens') return 'list-of-types-widened';
  if (effect === 'widens') return 'type-generalized';
  const hasName = directionOf(at) === 'response' || at.subject === 'request-parameter-property';
  return effect === 'narrows' && hasName ? 'type-specialized' : 'type-changed';
}

function effectOf(
  { base, revision }: Pair<readonly string[]>,
  accepts: (one: string, all: readonly string[]) => boolean,
): Effect {
  const lost = base.some((one) => !accepts(one, revision));
  const gained = revision.some((one) => !accepts(one, base));
  if (lost && gained) return 'differs';
  if (lost) return 'narrows';
  return gained ? 'widens' : 'none';
}

function acceptsType({ subject }: Comparison, types: readonly string[], type: string): boolean {
  if (types.includes(type) || (type === 'integer' && types.includes('number'))) return true;
  // Outside JSON all values are text, so numbers and booleans are also valid strings.
  const isText = subject === 'request-parameter' || subject === 'response-header';
  return isText && types.includes('string') && ['integer', 'number', 'boolean'].includes(type);
}

function acceptsFormat(format: string, [wider = '']: readonly string[]): boolean {
  return wider === '' || format === wider || (WIDER_FORMATS[format] ?? []).includes(wider);
}

function formatOf(schema: Schema): string {
  return [...new Set(keywordValues(schema, 'format').map(String))].sort().join(' and ');
}

function describe(types: readonly string[], format: string): string {
  const text = types === ALL_TYPES ? 'any' : types.join(' or ') || 'nothing';
  return format === '' ? text : `${text} (${format})`;
}

function isNotNull(type: string): boolean {
  return type !== 'null';
}

function restrictedTypes(schema: Schema, seen: ReadonlySet<string>): readonly string[] | undefined {
  const ofChoices = schema.choices.map(({ place, members, nullable }) => {
    // A recursive alternative adds no type.
    if (seen.has(place.pointer)) return undefined;
    const inside = new Set([...seen, place.pointer]);
    const sets = members.map((member) => restrictedTypes(readSchema([member]), inside));
    return sets.includes(undefined) ? undefined : [...sets.flatMap((set) => set ?? []), ...(nullable ? ['null'] : [])];
  });
  const [first, ...others] = [...schema.leaves.map(typesOfLeaf), ...ofChoices].filter((set) => set !== undefined);
  if (first === undefined) return undefined;
  return [...new Set(others.reduce(intersect, first))].sort();
}

function intersect(one: readonly string[], other: readonly string[]): readonly string[] {
  const kept = one.filter((type) => other.includes(type));
  const isNumeric = (type: string): boolean => type === 'integer' || type === 'number';
  return one.some(isNumeric) && other.some(isNumeric) && !kept.some(isNumeric) ? [...kept, 'integer'] : kept;
}

function typesOfLeaf(leaf: Leaf): readonly string[] | undefined {
  const { type } = membersOf(leaf.value);
  const declared = typeof type === 'string' ? [type] : Array.isArray(type) ? type.map(String) : impliedTypes(leaf);
  if (declared === undefined) return undefined;
  const isNullable = leaf.nullable || (isVersion30(leaf) && isSet(leaf, 'nullable'));
  const types = declared.includes('number') ? declared.filter((one) => one !== 'integer') : declared;
  return isNullable ? [...types, 'null'] : types;
}

/** Returns the types that other keywords imply, so that adding an explicit `type: object` to `properties` is no change. */
function impliedTypes({ value }: Leaf): readonly string[] | undefined {
  const { properties, required, items, enum: values, const: constant } = membersOf(value);
  if (Array.isArray(values)) return [...new Set(values.map(jsonType))];
  if (constant !== undefined) return [jsonType(constant)];
  if (properties !== undefined || required !== undefined) return ['object'];
  return items === undefined ? undefined : ['array'];
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}
