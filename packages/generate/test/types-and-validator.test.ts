import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { stringifyJson } from '@contract-first/contract';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { renderContract } from '../src/render.ts';
import { startMock } from '../../mock/src/start-mock.ts';

/**
 * A schema with valid and invalid values, as JSON in which `1n` is an int64. The validator and the compiler must accept
 * exactly the valid values.
 */
type Agreement = {
  readonly schema: unknown;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
};

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const object = (properties: object, rest: object = {}) => ({ type: 'object', properties, ...rest });
const TEXT = { type: 'string' };
const COUNT = { type: 'integer' };

const SHARED = {
  Text: TEXT,
  Anything: {},
  Animal: object({ legs: COUNT }, { required: ['legs'] }),
  Point: object({ x: COUNT, y: COUNT }),
  Deep: { allOf: [ref('Point')] },
  Nullable: { type: ['object', 'null'], properties: { x: COUNT } },
  Cat: object({ ['__proto__']: TEXT, lives: COUNT }),
  Dog: object({ ['__proto__']: { const: 'dog' } }),
  Tree: { anyOf: [TEXT, { type: 'array', items: ref('Tree') }] },
};

const AGREEMENTS: Readonly<Record<string, Agreement>> = {
  'properties beside a reference': {
    schema: { ...ref('Animal'), type: 'object', required: ['bark'], properties: { bark: TEXT } },
    valid: ['{ "legs": 4, "bark": "loud" }'],
    invalid: ['{ "legs": 4 }', '{ "bark": "loud" }', '{ "legs": 4, "bark": 1 }'],
  },
  'required properties beside a reference': {
    schema: { ...ref('Point'), required: ['y'] },
    valid: ['{ "y": 1 }', '{ "x": 1, "y": 2 }'],
    invalid: ['{ "x": 1 }', '{ "y": "1" }'],
  },
  'values beside a reference': {
    schema: { ...ref('Text'), enum: ['open', 'closed'] },
    valid: ['"open"'],
    invalid: ['"ajar"', '1'],
  },
  'a type beside a reference': {
    schema: { ...ref('Anything'), type: ['string', 'null'] },
    valid: ['"a"', 'null'],
    invalid: ['1'],
  },
  'required properties of the parts': {
    schema: {
      type: 'object',
      required: ['x', 'name', 'free'],
      allOf: [ref('Point'), object({ name: TEXT, tag: TEXT })],
    },
    valid: ['{ "x": 1, "name": "a", "free": null }', '{ "x": 1, "name": "a", "free": [], "tag": "b" }'],
    invalid: ['{ "name": "a", "free": 1 }', '{ "x": 1, "free": 1 }', '{ "x": 1, "name": "a" }'],
  },
  'required properties of a reference in a reference': {
    schema: { allOf: [ref('Deep'), { required: ['x'] }] },
    valid: ['{ "x": 1 }'],
    invalid: ['{}', '{ "x": "1" }'],
  },
  'required properties of a reference that may be null': {
    schema: { allOf: [ref('Nullable')], required: ['x'] },
    valid: ['null', '{ "x": 1 }'],
    invalid: ['{}'],
  },
  'required properties without a schema': {
    schema: { type: 'object', required: ['a', 'b'], additionalProperties: TEXT },
    valid: ['{ "a": "1", "b": "2", "c": "3" }'],
    invalid: ['{ "a": "1" }', '{ "a": 1, "b": "2" }'],
  },
  'alternatives that require properties': {
    schema: object(
      { name: TEXT, image: TEXT },
      { additionalProperties: false, anyOf: [{ required: ['name'] }, { required: ['image'] }] },
    ),
    valid: ['{ "name": "a" }', '{ "image": "b" }', '{ "name": "a", "image": "b" }'],
    invalid: ['{}', '{ "name": 1 }'],
  },
  'alternatives beside properties': {
    schema: object(
      { kind: TEXT },
      {
        required: ['kind'],
        oneOf: [object({ a: COUNT }, { required: ['a'] }), object({ b: COUNT }, { required: ['b'] })],
      },
    ),
    valid: ['{ "kind": "x", "b": 1 }'],
    invalid: ['{ "kind": "x" }', '{ "a": 1 }'],
  },
  'a condition with both branches': {
    schema: object(
      { k: TEXT },
      {
        if: { properties: { k: { const: 'a' } }, required: ['k'] },
        then: { required: ['n'], properties: { n: COUNT } },
        else: { properties: { n: TEXT } },
      },
    ),
    valid: ['{ "k": "a", "n": 1 }', '{ "k": "b", "n": "s" }', '{ "k": "b" }'],
    invalid: ['{ "k": "b", "n": 1 }', '{ "k": 1 }'],
  },
  'a condition without an else': {
    schema: object(
      { k: TEXT },
      { if: { required: ['card'] }, then: { required: ['cvc'], properties: { card: TEXT, cvc: TEXT } } },
    ),
    valid: ['{ "card": "1", "cvc": "2" }', '{ "k": "a" }', '{ "cvc": "2" }'],
    invalid: ['{ "k": 1 }'],
  },
  'a dependent schema': {
    schema: object(
      { card: TEXT },
      { dependentSchemas: { card: object({ address: TEXT }, { required: ['address'] }) } },
    ),
    valid: ['{ "card": "1", "address": "a" }', '{ "address": 1 }', '{}'],
    invalid: ['{ "card": 1 }'],
  },
  'values of several types': {
    schema: { enum: [1, '1', true, null, -1.5, { a: 1 }, [1, 2], ''] },
    valid: ['1', '"1"', 'null', '-1.5', '{ "a": 1 }', '[1, 2]', '""'],
    invalid: ['false', '"true"', '{ "a": 2 }', '[1]'],
  },
  'values of another type': {
    schema: { type: 'string', enum: ['a', 1, true] },
    valid: ['"a"'],
    invalid: ['1', 'true'],
  },
  'null among the values': {
    schema: object({
      both: { type: ['string', 'null'], enum: ['a', null] },
      type: { type: ['string', 'null'], enum: ['a'] },
      list: { type: 'string', enum: ['a', null] },
    }),
    valid: ['{ "both": null, "type": "a", "list": "a" }'],
    invalid: ['{ "type": null }', '{ "list": null }'],
  },
  'a constant': {
    schema: object({ nothing: { const: null }, object: { const: { a: [1] } } }),
    valid: ['{ "nothing": null, "object": { "a": [1] } }'],
    invalid: ['{ "nothing": 1 }', '{ "object": { "a": [2] } }'],
  },
  lists: {
    schema: object({
      pair: { type: 'array', prefixItems: [COUNT, TEXT], items: false, minItems: 2 },
      open: { type: 'array', prefixItems: [COUNT], items: TEXT },
      none: { type: 'array', items: false },
      rows: { type: 'array', items: { allOf: [{ type: 'array', items: COUNT }] } },
      union: { type: ['string', 'integer', 'array'], items: { type: 'boolean' } },
    }),
    valid: [
      '{ "pair": [1, "a"], "open": [1, "x", "y"], "none": [], "rows": [[1]], "union": [true] }',
      '{ "union": "a" }',
    ],
    invalid: ['{ "pair": [1] }', '{ "pair": [1, "a", 2] }', '{ "open": [1, 2] }', '{ "rows": [1] }', '{ "union": {} }'],
  },
  'other properties': {
    schema: object(
      { totals: object({ count: COUNT }) },
      { additionalProperties: { type: 'array', items: TEXT }, patternProperties: { '^x-': COUNT } },
    ),
    valid: ['{ "totals": { "count": 1 }, "z": ["a"], "x-n": 1 }'],
    invalid: ['{ "z": "a" }', '{ "totals": 1 }'],
  },
  'other properties of the only part': {
    schema: {
      allOf: [object({ count: COUNT }, { required: ['id'], additionalProperties: TEXT })],
      description: 'Counts.',
    },
    valid: ['{ "count": 1, "id": "a", "z": "b" }'],
    invalid: ['{ "count": 1 }', '{ "id": 1 }', '{ "id": "a", "count": "x" }'],
  },
  'properties that are not evaluated': {
    schema: { type: 'object', properties: { a: COUNT }, unevaluatedProperties: TEXT },
    valid: ['{ "a": 1, "b": "c" }'],
    invalid: ['{ "b": true }'],
  },
  'no other properties': {
    schema: object({ closed: { type: 'object', additionalProperties: false } }, { additionalProperties: false }),
    valid: ['{ "closed": {} }', '{}'],
    invalid: ['{ "closed": { "a": 1 } }', '{ "open": 1 }'],
  },
  'names of the methods of objects': {
    schema: object({ constructor: TEXT, toString: TEXT, valueOf: COUNT, name: TEXT }, { required: ['constructor'] }),
    valid: ['{ "constructor": "a" }', '{ "constructor": "a", "toString": "b" }'],
    invalid: ['{ "constructor": 1 }', '{ "constructor": "a", "toString": 1 }'],
  },
  'a property named __proto__': {
    schema: object({ ['__proto__']: COUNT, toString: TEXT }, { additionalProperties: false }),
    valid: ['{ "__proto__": 1 }', '{}'],
    invalid: ['{ "__proto__": "a" }', '{ "proto": 1 }'],
  },
  'a required property named __proto__': {
    schema: object({ ['__proto__']: COUNT }, { required: ['__proto__', 'x-a'], patternProperties: { '^x-': TEXT } }),
    valid: ['{ "__proto__": 1, "x-a": "a" }'],
    invalid: ['{}', '{ "__proto__": 1 }', '{ "x-a": "a" }', '{ "__proto__": 1, "x-a": 1 }'],
  },
  'a property named __proto__ beside unevaluated properties': {
    schema: {
      allOf: [
        object({ name: TEXT }),
        object({ ['__proto__']: COUNT }),
        object({}, { patternProperties: { '^x-': TEXT } }),
      ],
      unevaluatedProperties: false,
    },
    valid: ['{ "__proto__": 1, "name": "a", "x-a": "a" }', '{ "__proto__": 1 }'],
    invalid: ['{ "__proto__": "a" }'],
  },
  'a discriminator named __proto__': {
    schema: { oneOf: [ref('Cat'), ref('Dog')], discriminator: { propertyName: '__proto__' } },
    valid: ['{ "__proto__": "Cat", "lives": 9 }', '{ "__proto__": "dog" }'],
    invalid: ['{ "__proto__": "Dog" }', '{ "__proto__": "Cat", "lives": "a" }', '{ "lives": 9 }'],
  },
  'int64s of an enum': {
    schema: { type: 'integer', format: 'int64', enum: [9007199254740993n, 9007199254740994n, -1] },
    valid: ['9007199254740993n', '9007199254740994n', '-1n'],
    invalid: ['9007199254740992n', '9007199254740995n', '1n'],
  },
  'int64s of a const': {
    schema: object({ id: { type: 'integer', format: 'int64', const: 9223372036854775807n } }),
    valid: ['{ "id": 9223372036854775807n }'],
    invalid: ['{ "id": 9223372036854775806n }'],
  },
  'a schema in itself': {
    schema: ref('Tree'),
    valid: ['"a"', '["a", ["b", []]]'],
    invalid: ['1', '[["a", 1]]'],
  },
};

const ENTRIES = Object.entries(AGREEMENTS).map(([name, agreement], index) => ({
  ...agreement,
  name,
  id: `S${String(index)}`,
}));
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Agreements', version: '1' },
  security: [],
  paths: Object.fromEntries(ENTRIES.map(({ id }) => [`/${id}`, { post: operationOf(id) }])),
  components: { schemas: { ...SHARED, ...Object.fromEntries(ENTRIES.map(({ id, schema }) => [id, schema])) } },
};

const folder = temporaryFolder();
const path = join(folder, 'openapi.yaml');
writeFileSync(path, stringifyJson(DOCUMENT));
const mock = await startMock(path);
cleanUp(mock.close);
const rejected = await compileLiterals();

test.each(ENTRIES)('the types and the validator accept the same values: $name', async ({ id, valid, invalid }) => {
  for (const [values, status] of [
    [valid, 204],
    [invalid, 400],
  ] as const)
    for (const body of values)
      expect([body, await send(id, body), rejected.has(literalOf(id, body))]).toEqual([body, status, status === 400]);
});

function operationOf(id: string) {
  return {
    operationId: `send${id}`,
    requestBody: { required: true, content: { 'application/json': { schema: ref(id) } } },
    responses: { 204: { description: 'Valid.' }, 400: { description: 'Invalid.' }, 'x-note': 'An extension.' },
  };
}

async function send(id: string, body: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json' };
  const json = body.replaceAll(/(?<=\d)n\b/g, '');
  return (await fetch(`${mock.url}/${id}`, { method: 'POST', headers, body: json })).status;
}

/** Renders an assignment of a value to the type of a schema, on one line. JSON is valid TypeScript. */
function literalOf(id: string, body: string): string {
  return `schemas.${id} = ${body};`;
}

/** Type-checks all values with the generated types. Returns the lines with an error. */
async function compileLiterals(): Promise<ReadonlySet<string | undefined>> {
  const { files } = await renderContract(path);
  const lines = ENTRIES.flatMap(({ id, valid, invalid }) => [...valid, ...invalid].map((body) => literalOf(id, body)));
  const text = `import type { components } from './types.ts';\ndeclare const schemas: components['schemas'];\n${lines.join('\n')}`;
  writeFileSync(join(folder, 'types.ts'), files?.['types.ts'] ?? '');
  writeFileSync(join(folder, 'literals.ts'), text);
  const program = ts.createProgram([join(folder, 'literals.ts')], {
    strict: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    target: ts.ScriptTarget.ES2024,
    lib: ['lib.es2024.d.ts'],
    types: [],
    module: ts.ModuleKind.ESNext,
  });
  const diagnostics = ts.getPreEmitDiagnostics(program);
  expect(diagnostics.filter(({ file }) => !file?.fileName.endsWith('literals.ts'))).toEqual([]);
  return new Set(
    diagnostics.map(({ file, start }) => text.split('\n')[file?.getLineAndCharacterOfPosition(start ?? 0).line ?? -1]),
  );
}
