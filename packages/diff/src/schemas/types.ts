import { isTrue, asObject, type NodePair } from '../nodes/node.ts';
import { isVersion30, keywordValues, type Leaf, readSchema, type ResolvedSchema } from '../nodes/schema-reader.ts';
import { type SchemaComparison, directionOf, report } from '../rules/comparison.ts';
import { type Effect, type Finding, LEVEL_OF_EFFECT } from '../rules/finding.ts';

const ALL_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** The formats that include all values of a format. */
const WIDER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  int32: ['int64'],
  email: ['idn-email'],
  hostname: ['idn-hostname'],
  uri: ['iri', 'uri-reference', 'iri-reference'],
};

/**
 * Returns the JSON types that a schema allows, sorted. An unrestricted schema has all types; `number` covers `integer`.
 *
 * @param implied whether `properties`, `required` and `items` imply a type, as authors usually intend
 */
export function typesOf(schema: ResolvedSchema, implied = true): readonly string[] {
  const cache = implied ? impliedTypes : declaredTypes;
  const types = cache.get(schema) ?? restrictedTypes(schema, implied, new Set()) ?? ALL_TYPES;
  cache.set(schema, types);
  return types;
}

const impliedTypes = new WeakMap<ResolvedSchema, readonly string[]>();
const declaredTypes = new WeakMap<ResolvedSchema, readonly string[]>();

/** Compares types, formats and nullability. The result is not `comparable` if no value matches both schemas. */
export function compareTypes(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
): { readonly findings: readonly Finding[]; readonly comparable: boolean } {
  if (areFiles(at, { base, revision })) return { findings: [], comparable: true };
  const before = typesOf(base);
  const after = typesOf(revision);
  const solid = { base: before.filter(isNotNull), revision: after.filter(isNotNull) };

  const compare = (types: NodePair<readonly string[]>): Effect =>
    effectOf(types, (type, others) => acceptsType(at, others, type));
  const implied = compare(solid);
  const [declaredBefore, declaredAfter] = [typesOf(base, false), typesOf(revision, false)];
  const declared = compare({ base: declaredBefore.filter(isNotNull), revision: declaredAfter.filter(isNotNull) });
  const levels = LEVEL_OF_EFFECT[directionOf(at)];
  const ofTypes = levels[implied] === levels[declared] ? implied : 'unsure';
  const isIntegral = haveRanges({ base, revision });
  const formats = { base: [restrictionOf(base, isIntegral)], revision: [restrictionOf(revision, isIntegral)] };
  const effect = withFormats(ofTypes, effectOf(formats, acceptsFormat), solid);
  const comparable = effect !== 'differs' || solid.base.some((type) => acceptsType(at, solid.revision, type));
  const isList = solid.base.length > 1 && solid.revision.length > 1 && effect !== 'differs';
  const findings = effect === 'none' ? [] : [reportTypes(at, { base, revision }, effect, isList)];

  const wasNullable = declaredBefore.includes('null');
  const isNullable = declaredAfter.includes('null');
  const isCovered = ofTypes !== 'none' && (declaredBefore === ALL_TYPES || declaredAfter === ALL_TYPES);
  if (!comparable || isCovered || wasNullable === isNullable) return { findings, comparable };
  const nullability = wasNullable
    ? report(at, 'became-not-nullable', 'narrows', 'null is no longer allowed')
    : report(at, 'became-nullable', 'widens', 'null is allowed');
  return { findings: [...findings, nullability], comparable };
}

/**
 * Creates a finding about the types and formats of two schemas.
 *
 * @param isList whether a type was added to or removed from a list
 */
export function reportTypes(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
  effect: Effect,
  isList = false,
): Finding {
  return report(at, ruleFor(at, effect, isList), effect, `type ${describe(base)} became ${describe(revision)}`);
}

/** Returns whether two schemas describe bytes: by `format: binary`, or without a type as in OpenAPI 3.1. */
export function areFiles({ serialization }: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): boolean {
  const isFile = (schema: ResolvedSchema): boolean =>
    formatsOf(schema).includes('binary') || typesOf(schema) === ALL_TYPES;
  return serialization !== undefined && isFile(base) && isFile(revision);
}

/** Returns whether a schema allows only integers and null. */
export function hasOnlyIntegers(schema: ResolvedSchema): boolean {
  return typesOf(schema).every((type) => type === 'integer' || type === 'null');
}

/** Returns whether two integer schemas differ only in formats that are ranges. */
export function haveRanges({ base, revision }: NodePair<ResolvedSchema>): boolean {
  const areIntegers = hasOnlyIntegers(base) && hasOnlyIntegers(revision);
  return areIntegers && restrictionOf(base, true) === restrictionOf(revision, true);
}

function ruleFor(at: SchemaComparison, effect: Effect, isList: boolean): string {
  if (isList && effect === 'narrows') return 'list-of-types-narrowed';
  if (isList && effect === 'widens') return 'list-of-types-widened';
  if (effect === 'widens') return 'type-generalized';
  const hasName = directionOf(at) === 'response' || at.subject === 'request-parameter-property';
  return effect === 'narrows' && hasName ? 'type-specialized' : 'type-changed';
}

/** Combines the effects of a type change and a format change. */
function withFormats(ofTypes: Effect, ofFormats: Effect, { base, revision }: NodePair<readonly string[]>): Effect {
  if (ofTypes === 'none') return ofFormats;
  // A type without the format may have allowed texts that do not match the format.
  const isShared = base.includes('string') === revision.includes('string');
  const isContrary =
    (ofTypes === 'widens' && ofFormats === 'narrows') || (ofTypes === 'narrows' && ofFormats === 'widens');
  return isContrary && !isShared ? 'differs' : ofTypes;
}

/** Returns the effect of a change of the allowed types, formats or media types. */
export function effectOf(
  { base, revision }: NodePair<readonly string[]>,
  accepts: (one: string, all: readonly string[]) => boolean,
): Effect {
  const lost = base.some((one) => !accepts(one, revision));
  const gained = revision.some((one) => !accepts(one, base));
  if (lost && gained) return 'differs';
  if (lost) return 'narrows';
  return gained ? 'widens' : 'none';
}

function acceptsType({ serialization }: SchemaComparison, types: readonly string[], type: string): boolean {
  if (types.includes(type) || (type === 'integer' && types.includes('number'))) return true;
  // Numbers and booleans that are written as text are also strings.
  const isText = serialization !== undefined && serialization !== 'bytes';
  return isText && types.includes('string') && ['integer', 'number', 'boolean'].includes(type);
}

function acceptsFormat(format: string, [wider = '']: readonly string[]): boolean {
  return wider === '' || format === wider || (WIDER_FORMATS[format] ?? []).includes(wider);
}

function describe(schema: ResolvedSchema): string {
  const types = typesOf(schema);
  const format = formatsOf(schema).join(' and ');
  const text = types === ALL_TYPES ? 'any' : types.join(' or ') || 'nothing';
  return format === '' ? text : `${text} (${format})`;
}

function isNotNull(type: string): boolean {
  return type !== 'null';
}

function restrictedTypes(
  schema: ResolvedSchema,
  implied: boolean,
  seen: ReadonlySet<string>,
): readonly string[] | undefined {
  const ofChoices = schema.choices.map(({ node, members, nullable }) => {
    // A recursive alternative adds no types.
    if (seen.has(node.pointer)) return undefined;
    const inside = new Set([...seen, node.pointer]);
    const sets = members.map((member) => restrictedTypes(readSchema([member]), implied, inside));
    return sets.includes(undefined) ? undefined : [...sets.flatMap((set) => set ?? []), ...(nullable ? ['null'] : [])];
  });
  const [first, ...others] = [...schema.leaves.flatMap((leaf) => typesOfLeaf(leaf, implied)), ...ofChoices].filter(
    (set) => set !== undefined,
  );
  if (first === undefined) return undefined;
  return [...new Set(others.reduce(intersect, first))].sort();
}

function intersect(one: readonly string[], other: readonly string[]): readonly string[] {
  const kept = one.filter((type) => other.includes(type));
  const isNumeric = (type: string): boolean => type === 'integer' || type === 'number';
  return one.some(isNumeric) && other.some(isNumeric) && !kept.some(isNumeric) ? [...kept, 'integer'] : kept;
}

/** Returns the sets of types that the keywords of a leaf allow; none if no keyword restricts the type. */
function typesOfLeaf(leaf: Leaf, implied: boolean): readonly (readonly string[])[] {
  const { type, enum: values, const: constant, properties, required, items } = asObject(leaf.value);
  // In OpenAPI 3.0, `nullable` adds null to the type, not to listed values.
  const isNullable = isVersion30(leaf) && isTrue(leaf, 'nullable');
  const nullType = isNullable ? ['null'] : [];
  const declared = typeof type === 'string' ? [[type, ...nullType]] : Array.isArray(type) ? [type.map(String)] : [];
  const listed = [
    ...(Array.isArray(values) ? [values.map(jsonType)] : []),
    ...(constant === undefined ? [] : [[jsonType(constant)]]),
  ];
  const isObject = properties !== undefined || required !== undefined;
  const ofParts = isObject ? [['object']] : items === undefined ? [] : [['array']];
  const isUntyped = declared.length + listed.length === 0;
  return [...declared, ...listed, ...(implied && isUntyped ? ofParts : [])].map((types) => {
    const simple = types.includes('number') ? types.filter((one) => one !== 'integer') : types;
    return [...new Set(leaf.nullable ? [...simple, 'null'] : simple)];
  });
}

/** Returns whether two lists of types have a common type. */
export function haveCommonType(one: readonly string[], other: readonly string[]): boolean {
  return intersect(one, other).length > 0;
}

/** Returns the JSON type of a value; `integer` for whole numbers. */
export function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'bigint' || Number.isInteger(value) ? 'integer' : typeof value;
}

/** The ranges of integer formats. */
const INTEGER_RANGES: ReadonlyMap<string, { readonly lower: bigint; readonly upper: bigint }> = new Map([
  ...[8n, 16n, 32n, 64n].flatMap((bits) => [
    [`int${String(bits)}`, { lower: -(2n ** (bits - 1n)), upper: 2n ** (bits - 1n) - 1n }] as const,
    [`uint${String(bits)}`, { lower: 0n, upper: 2n ** bits - 1n }] as const,
  ]),
  ['double-int', { lower: 1n - 2n ** 53n, upper: 2n ** 53n - 1n }],
]);

/** The formats that exclude no values: JSON numbers are doubles, and `password` only affects input fields. */
const FREE: readonly string[] = ['double', 'password'];

/** Returns the formats of a schema, sorted. */
function formatsOf(schema: ResolvedSchema): readonly string[] {
  return [...new Set(keywordValues(schema, 'format').map(String))].sort();
}

/**
 * Returns, as one text, the formats of a schema that exclude values other than by a range.
 *
 * @param isIntegral whether only integers are compared, whose formats may be ranges
 */
function restrictionOf(schema: ResolvedSchema, isIntegral: boolean): string {
  const formats = formatsOf(schema).filter((format) => !FREE.includes(format));
  return formats.filter((format) => !(isIntegral && INTEGER_RANGES.has(format))).join(' and ');
}

/** Returns the limits of integer formats, with the names of the formats. */
export function formatLimits(
  schema: ResolvedSchema,
  side: 'lower' | 'upper',
): readonly { readonly limit: bigint; readonly format: string }[] {
  return formatsOf(schema).flatMap((format) => {
    const range = INTEGER_RANGES.get(format);
    return range === undefined ? [] : [{ limit: range[side], format }];
  });
}
