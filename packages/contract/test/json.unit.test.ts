import { mock } from 'node:test';
import { integerOf, reviveInt64s } from '../src/operations/int64.ts';
import { mapBigints, parseJson, parseJsonTree, stringifyJson, toJsonValue } from '../src/json/json.ts';
import type { Shape } from '../src/operations/shape.ts';

test.each<[string, bigint | undefined]>([
  ['0', 0n],
  ['-0', 0n],
  ['0.000', 0n],
  ['1', 1n],
  ['-1', -1n],
  ['1.0', 1n],
  ['1.5', undefined],
  ['1e2', 100n],
  ['1E+2', 100n],
  ['100e-2', 1n],
  ['105e-2', undefined],
  ['1.23e2', 123n],
  ['1.234e2', undefined],
  ['0.001e3', 1n],
  ['9007199254740993', 9007199254740993n],
  ['-9223372036854775808', -(2n ** 63n)],
  ['18446744073709551615', 2n ** 64n],
  ['-1e19', -(2n ** 64n)],
  ['1e999999999999', 2n ** 64n],
  ['1e-999999999999', undefined],
  ['0e999999999999', 0n],
  [`1${'0'.repeat(400)}`, 2n ** 64n],
  [`0.${'0'.repeat(400)}1`, undefined],
  [`1.${'0'.repeat(500_000)}1`, undefined],
  [`1${'0'.repeat(500_000)}1e-500001`, undefined],
])('integerOf: %.30s is %s', (digits, integer) => {
  expect(integerOf(digits)).toBe(integer);
});

const BIG = '9007199254740993';
const int64: Shape = { int64: true };
const tree: Shape = { properties: { id: int64, children: { items: { $ref: 'tree' } } } };

test.each<[string, string, Shape, unknown]>([
  ['a top-level number', BIG, int64, 9007199254740993n],
  ['a small top-level number', '7', int64, 7n],
  ['no shape, no change', `[${BIG}]`, {}, [Number(BIG)]],
  ['a list', `[1, ${BIG}, null, "x"]`, { items: int64 }, [1n, 9007199254740993n, null, 'x']],
  ['a map', `{"a":1,"":${BIG}}`, { additionalProperties: int64 }, { a: 1n, '': 9007199254740993n }],
  ['named before others', '{"a":1,"b":2}', { properties: { a: {} }, additionalProperties: int64 }, { a: 1, b: 2n }],
  [
    'by way of a reference',
    `{"id":1,"children":[{"id":${BIG},"children":[]}]}`,
    { $ref: 'tree' },
    { id: 1n, children: [{ id: 9007199254740993n, children: [] }] },
  ],
  ['in two shapes at once', '{"id":1}', { allOf: [tree, tree] }, { id: 1n }],
  [
    'properties of every object',
    '{"constructor":1,"toString":2}',
    { properties: { id: int64 } },
    { constructor: 1, toString: 2 },
  ],
])('parseJsonTree and reviveInt64s: %s', (_name, text, shape, value) => {
  const json = parseJsonTree(text);
  expect(reviveInt64s(json, shape, { tree }, 'body')).toEqual([]);
  expect(json.root['']).toEqual(value);
});

test('parseJsonTree and reviveInt64s: a problem is reported with its place', () => {
  const json = parseJsonTree('{"id":1,"children":[{"id":9223372036854775808},{"id":1e-400}]}');
  expect(reviveInt64s(json, tree, { tree }, 'body').map(({ text }) => text)).toEqual([
    'body/children/0/id must be between -9223372036854775808 and 9223372036854775807',
    'body/children/1/id must be integer',
  ]);
});

test('parseJsonTree and reviveInt64s: the alternatives of a recursive schema are tried once for each value', () => {
  const expression: Shape = {
    allOf: ['not', 'neg', 'abs'].map(() => ({ properties: { arg: { $ref: 'e' }, lit: int64 } })),
  };
  const json = parseJsonTree(`${'{"arg":'.repeat(400)}{"lit":1}${'}'.repeat(400)}`);
  expect(reviveInt64s(json, expression, { e: expression }, 'body')).toEqual([]);
});

test.each<[string, string, Shape, unknown]>([
  ['numbers', `{"a":${BIG},"a":9007199254740992}`, { properties: { a: int64 } }, { a: 9007199254740992n }],
  ['a short number', `{"a":${BIG},"a":9}`, { properties: { a: int64 } }, { a: 9n }],
  ['lists', `{"a":[1,${BIG}],"a":[2,3]}`, { properties: { a: { items: int64 } } }, { a: [2n, 3n] }],
  [
    'a list, a map',
    `{"a":[${BIG}],"a":{"0":3}}`,
    { properties: { a: { additionalProperties: int64 } } },
    { a: { 0: 3n } },
  ],
  ['an object, a number', `{"a":{"id":${BIG}},"a":5}`, { properties: { a: int64 } }, { a: 5n }],
  [
    'objects',
    `{"a":{"b":{"c":${BIG}}},"a":{"b":{"c":5}}}`,
    { properties: { a: { properties: { b: { properties: { c: int64 } } } } } },
    { a: { b: { c: 5n } } },
  ],
  ['an escaped name', `{"a":${BIG},"\\u0061":5}`, { properties: { a: int64 } }, { a: 5n }],
])(
  'parseJsonTree and reviveInt64s: of members with the same name, the last one counts: %s',
  (_name, text, shape, value) => {
    const json = parseJsonTree(text);
    expect(reviveInt64s(json, shape, {}, 'body')).toEqual([]);
    expect(json.root['']).toEqual(value);
  },
);

test.each([
  ['whitespace', ` { "s" : [ ] ,\n"a"\t:\r[ 1 , ${BIG} ] } `],
  ['quotes, backslashes and brackets in strings', `{"s":"\\"]}\\\\","\\\\\\"":{"[":"1e5"},"a":[1,${BIG}]}`],
])('parseJsonTree and reviveInt64s: digits are found in a text with %s', (_name, text) => {
  const json = parseJsonTree(text);
  expect(reviveInt64s(json, { properties: { a: { items: int64 } } }, {}, 'body')).toEqual([]);
  expect((json.root[''] as { readonly a: unknown }).a).toEqual([1n, 9007199254740993n]);
});

test('parseJsonTree and reviveInt64s: the digits are found without parsing the text again', () => {
  const parse = mock.method(JSON, 'parse');
  const text = `{"id":${BIG},"rest":[${'[1],{"a":1e5},'.repeat(1_000)}1]}`;
  const json = parseJsonTree(text);
  reviveInt64s(json, { properties: { id: int64 } }, {}, 'body');
  expect(json.root['']).toHaveProperty('id', 9007199254740993n);
  expect(parse.mock.callCount()).toBe(1);
  parse.mock.restore();
});

test('parseJsonTree and reviveInt64s: at most ten problems are reported', () => {
  const json = parseJsonTree(`[${'1e19,'.repeat(200_000)}1e19]`);
  expect(reviveInt64s(json, { items: int64 }, {}, 'body')).toHaveLength(10);
});

test.each([
  [500, true],
  [501, false],
])('parseJsonTree and reviveInt64s: %d levels of nesting are read: %s', (depth, isRead) => {
  for (const text of [`${'['.repeat(depth)}${']'.repeat(depth)}`, `${'['.repeat(depth)}1e5,"[["${']'.repeat(depth)}`]) {
    const parse = (): unknown => parseJsonTree(text);
    if (isRead) expect(parse).not.toThrow();
    else expect(parse).toThrow('nested more than 500 levels deep');
  }
});

test('parseJsonTree and reviveInt64s: writing reproduces the text that was read', () => {
  const text = '{"a":[9007199254740993,-9223372036854775808],"s":"\\u0000\\ud800é","n":null}';
  const json = parseJsonTree(text);
  reviveInt64s(json, { properties: { a: { items: int64 } } }, {}, 'body');
  expect(stringifyJson(json.root[''])).toBe(text);
});

test('mapBigints: only parts with bigints are copied', () => {
  const plain = { list: [[], {}, Number.NaN], __proto__: null };
  const value = { id: 1n, plain, items: [plain, { id: 2n }], ['__proto__']: 3n };
  const mapped = mapBigints(value, Number) as typeof value;
  expect(mapped).toEqual({ id: 1, plain, items: [plain, { id: 2 }], ['__proto__']: 3 });
  expect(mapped.plain).toBe(plain);
  expect(mapped.items[0]).toBe(plain);
  expect(mapBigints(plain, Number)).toBe(plain);
  expect(value.id).toBe(1n);
});

test.each<[string, unknown]>([
  ['members without a value', { a: undefined, b: () => 1, c: Symbol('c'), d: null }],
  ['items without a value', [undefined, () => 1, Symbol('c'), 1]],
  ['values with toJSON', { items: [{ toJSON: (key: string) => ({ key, none: undefined }) }] }],
])('toJsonValue: the result equals the output of JSON.stringify: %s', (_name, value) => {
  expect(toJsonValue(value)).toStrictEqual(JSON.parse(JSON.stringify(value)));
});

test('stringifyJson: a value is serialized without a replacer', () => {
  const stringify = mock.method(JSON, 'stringify');
  expect(stringifyJson({ id: 9007199254740993n, rest: [1, undefined], none: undefined })).toBe(
    '{"id":9007199254740993,"rest":[1,null]}',
  );
  expect(stringify.mock.calls.map((call) => call.arguments)).toEqual([[expect.anything()]]);
  stringify.mock.restore();
});

test('parseJson: bigints beyond 2^53 are restored, and other integers are numbers', () => {
  const value = {
    id: 2n ** 53n + 1n,
    low: -(2n ** 63n),
    ids: [1n, 2n ** 200n],
    share: 0.1234567890123456,
    name: '1234567890123456789',
  };
  const loaded = parseJson(stringifyJson(value));
  expect(loaded).toEqual({ ...value, ids: [1, 2n ** 200n] });
  expect(stringifyJson(loaded)).toBe(stringifyJson(value));
});

test.each<[string, unknown]>([
  ['9007199254740991', 9007199254740991],
  ['-9007199254740992', -9007199254740992n],
  ['1234567890123456.5', 1234567890123456.5],
  ['1e21', 1e21],
  ['{"__proto__":9007199254740993}', Object.fromEntries([['__proto__', 9007199254740993n]])],
])('parseJson: %s keeps its value', (text, value) => {
  expect(parseJson(text)).toEqual(value);
});
