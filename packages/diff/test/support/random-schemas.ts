import fc from 'fast-check';

/** A random JSON Schema 2020-12. */
export type RandomSchema = { readonly [keyword: string]: unknown };

const TYPES = ['string', 'integer', 'number', 'boolean', 'null', 'array', 'object'];
const COMBINATORS = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'];
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern', 'enum', 'const'],
  integer: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum'],
  number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  boolean: ['const'],
  null: [],
  array: [
    ...['items', 'prefixItems', 'contains', 'minContains', 'maxContains', 'minItems', 'maxItems', 'uniqueItems'],
    'unevaluatedItems',
  ],
  object: [
    ...['properties', 'required', 'additionalProperties', 'patternProperties', 'propertyNames', 'dependentRequired'],
    ...['dependentSchemas', 'unevaluatedProperties', 'minProperties', 'maxProperties'],
  ],
};

/** Schemas with few keywords, whose constants match {@link VALUES}. */
export function randomSchemas(depth = 2): fc.Arbitrary<RandomSchema> {
  if (depth === 0) return fc.constantFrom({}, ...TYPES.slice(0, 5).map((type) => ({ type })));
  const type = fc.oneof(
    { arbitrary: fc.constantFrom(...TYPES), weight: 3 },
    { arbitrary: fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 2, maxLength: 2 }), weight: 1 },
  );
  return fc.tuple(type, fc.double({ noNaN: true, min: 0, max: 1 })).chain(([types, chance]) => {
    const names = [...[types].flat().flatMap((name) => KEYWORDS[name] ?? []), ...(chance < 0.2 ? COMBINATORS : [])];
    const keywords = fc.subarray(names, { maxLength: Math.min(2, names.length) });
    return keywords
      .chain((chosen) => fc.tuple(...chosen.map((name) => keyword(name, depth).map((value) => [name, value] as const))))
      .map((entries) => ({ ...(chance < 0.9 && { type: types }), ...Object.fromEntries(entries) }));
  });
}

/** A schema, and a copy in which one keyword was set, changed or removed. */
export function changedSchemas(): fc.Arbitrary<readonly [before: RandomSchema, after: RandomSchema]> {
  return randomSchemas().chain((before) => {
    const present = Object.keys(before);
    const types = [before['type'] ?? TYPES].flat().map(String);
    const possible = [...present, ...types.flatMap((type) => KEYWORDS[type] ?? []), ...COMBINATORS, 'type'];
    return fc
      .tuple(fc.constantFrom(...possible), fc.boolean())
      .chain(([name, isRemoved]) =>
        isRemoved && present.includes(name)
          ? fc.constant([name, undefined] as const)
          : keyword(name, 1).map((value) => [name, value] as const),
      )
      .map(([name, value]) => {
        const rest = Object.fromEntries(Object.entries(before).filter(([other]) => other !== name));
        return [before, value === undefined ? rest : { ...rest, [name]: value }] as const;
      });
  });
}

function keyword(name: string, depth: number): fc.Arbitrary<unknown> {
  const schema = randomSchemas(depth - 1);
  const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.constantFrom(...TYPES),
    enum: fc.uniqueArray(fc.constantFrom('a', 'b', 'ab', 1, 2, 0.5, null, true), { minLength: 1, maxLength: 3 }),
    const: fc.constantFrom('a', 'ab', 1, null, true),
    pattern: fc.constantFrom('^a', 'b$', '^[a-z]*$'),
    uniqueItems: fc.boolean(),
    multipleOf: fc.constantFrom(0.5, 1, 2, 3),
    required: fc.constantFrom(['a'], ['b'], ['a', 'b']),
    properties: fc.record({ a: schema, b: schema }, { requiredKeys: [] }),
    patternProperties: fc.tuple(fc.constantFrom('^a', '^c'), schema).map(([pattern, value]) => ({ [pattern]: value })),
    propertyNames: fc.constantFrom({ maxLength: 1 }, { pattern: '^a' }, { enum: ['a', 'b'] }),
    dependentRequired: fc.constantFrom({ a: ['b'] }, { b: ['a'] }),
    dependentSchemas: fc.constant({ a: { required: ['b'] } }),
    prefixItems: fc.array(schema, { minLength: 1, maxLength: 2 }),
    unevaluatedItems: fc.constant(false),
    ...Object.fromEntries(
      ['allOf', 'anyOf', 'oneOf'].map((list) => [list, fc.array(schema, { minLength: 1, maxLength: 2 })]),
    ),
    ...Object.fromEntries(['not', 'if', 'then', 'else', 'contains'].map((part) => [part, schema])),
    ...Object.fromEntries(
      ['items', 'additionalProperties', 'unevaluatedProperties'].map((rest) => [
        rest,
        fc.oneof(schema, fc.constant(false)),
      ]),
    ),
  };
  return byName[name] ?? fc.integer({ min: 0, max: 3 });
}

const SCALARS = [
  ...[null, true, false, '', 'a', 'b', 'ab', 'B', 'abcdef'],
  ...[-5, -1, 0, 0.25, 0.5, 1, 1.5, 2, 3, 5, 7, 10, 100],
];
const FEW = ['a', 'abc', 1, 2, 0.5, null, true];
const PAIRS = FEW.flatMap((one) => FEW.map((other) => [one, other] as const));

/** Values of all types, few enough to test all. */
export const VALUES: readonly unknown[] = [
  ...SCALARS,
  ...[[], {}, [[]], [{}], { a: [] }, { a: {} }, { b: {} }, { a: 1, b: 1, c: 1 }, { cc: 1 }, { aa: 'a' }, { c: {} }],
  ...SCALARS.flatMap((value) => [[value], { a: value }, { b: value }, { c: value }]),
  ...PAIRS.flatMap(([one, other]) => [
    ...[
      [one, other],
      [one, other, one],
      [one, [other]],
    ],
    ...[{ a: one, b: other }, { a: one, c: other }, { a: { a: one, b: other } }, { a: [one, other] }],
  ]),
];
