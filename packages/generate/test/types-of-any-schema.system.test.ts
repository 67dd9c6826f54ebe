import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import ts from 'typescript';
import { stringifyJson } from '@contract-first/contract';
import { compileContract } from '@contract-first/documents';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startMock } from '../../mock/src/start-mock.ts';
import { createArbitraries } from '../../model/src/values/arbitrary.ts';
import { readSchemas, type JsonSchema } from '../../model/src/values/json-schema.ts';
import type { Json } from '../../model/src/values/json-value.ts';
import { createOracle } from '../../model/src/values/oracle.ts';
import { renderContract } from '../src/render.ts';

type Schema = Readonly<Record<string, unknown>>;
/** A value of a schema, the verdict of the validator, and the error of the compiler. */
type Verdict = { readonly schema: string; readonly value: string; readonly status: number; readonly error: string };

const SCHEMAS = 200;
const SEED = 1;
const VALUES = 2;
const CHANGES = 3;
const NAMES = ['a', 'b', 'c'];
const PARTS = [null, 1, 'x', true, {}, []] as const;

const scalars = fc.constantFrom<Schema>(
  { type: 'string' },
  { type: 'integer' },
  { type: 'boolean' },
  { type: ['string', 'null'] },
  { type: 'null' },
  { enum: ['x', 'y'] },
  { enum: [1, 'x', null] },
  { const: 'x' },
  { type: 'string', enum: ['x', 1] },
);

/** Schemas whose types can be exact: without oneOf and not, which TypeScript cannot express, and without limits. */
const { schemas } = fc.letrec<{ schemas: Schema; objects: Schema }>((tie) => ({
  objects: fc.record({
    type: fc.constant('object'),
    properties: fc.dictionary(fc.constantFrom(...NAMES), tie('schemas'), { maxKeys: 3, noNullPrototype: true }),
    required: fc.subarray(NAMES, { maxLength: 2 }),
    additionalProperties: fc.constantFrom<unknown>(true, false, { type: 'string' }),
  }),
  schemas: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { arbitrary: scalars, weight: 3 },
    { arbitrary: tie('objects'), weight: 3 },
    { arbitrary: fc.record({ type: fc.constant('array'), items: tie('schemas') }), weight: 1 },
    {
      arbitrary: fc
        .array(tie('schemas'), { minLength: 1, maxLength: 2 })
        .map((prefixItems) => ({ type: 'array', prefixItems, items: false, minItems: prefixItems.length })),
      weight: 1,
    },
    { arbitrary: fc.record({ anyOf: fc.array(tie('schemas'), { minLength: 1, maxLength: 3 }) }), weight: 1 },
    { arbitrary: fc.record({ allOf: fc.array(tie('objects'), { minLength: 1, maxLength: 2 }) }), weight: 1 },
    {
      arbitrary: fc.record({ $ref: fc.constant('#/components/schemas/Base'), required: fc.subarray(NAMES) }),
      weight: 1,
    },
  ),
}));

const NAMED = fc
  .sample(schemas, { numRuns: SCHEMAS, seed: SEED })
  .map((schema, index) => [`S${String(index)}`, schema] as const);
const BASE = { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'string' } } };
const DOCUMENT = {
  openapi: '3.1.0',
  info: { title: 'Schemas', version: '1' },
  security: [],
  paths: Object.fromEntries(NAMED.map(([name]) => [`/${name}`, { post: operationOf(name) }])),
  components: { schemas: { Base: BASE, ...Object.fromEntries(NAMED) } },
};
const folder = temporaryFolder();
const path = join(folder, 'openapi.yaml');
writeFileSync(path, JSON.stringify(DOCUMENT));
const mock = await startMock(path);
cleanUp(mock.close);

test('the types of 200 generated schemas accept the values that the validator accepts', async () => {
  const values = await generateValues();
  const errors = await compile(values);
  const verdicts: Verdict[] = [];
  for (const [index, [schema, value]] of values.entries())
    verdicts.push({ schema, value, status: await send(schema, value), error: errors[index] ?? '' });
  const differences = verdicts.filter(({ status, error }) => (status === 204) !== (error === ''));
  expect(differences).toEqual([]);
  expect(verdicts.filter(({ status }) => status === 204).length).toBeGreaterThan(SCHEMAS);
  expect(verdicts.filter(({ status }) => status === 400).length).toBeGreaterThan(SCHEMAS);
});

function operationOf(name: string) {
  const schema = { $ref: `#/components/schemas/${name}` };
  return {
    operationId: `send${name}`,
    requestBody: { required: true, content: { 'application/json': { schema } } },
    responses: { 204: { description: 'Valid.' }, 400: { description: 'Invalid.' } },
  };
}

/** Returns valid and changed values of each schema, with the name of the schema. */
async function generateValues(): Promise<readonly (readonly [schema: string, value: string])[]> {
  const { compiled } = await compileContract(path);
  const document = readSchemas(compiled?.document ?? DOCUMENT, 'request');
  const arbitrary = createArbitraries(document, createOracle(document));
  return NAMED.flatMap(([name]) => {
    const schema = { $ref: `${document.id}#/components/schemas/${name}` } satisfies JsonSchema;
    const texts = new Set<string>();
    for (const value of sample(() => arbitrary(schema, { text: 'well-formed', extras: false, plain: false }))) {
      texts.add(literalOf(value));
      for (const changed of changesOf(value)) texts.add(literalOf(changed));
    }
    return [...texts].map((text) => [name, text] as const);
  });
}

/** Renders a value as JSON in ASCII, which is a literal of TypeScript on one line. */
function literalOf(value: Json): string {
  const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return stringifyJson(value).replaceAll(/[^ -~]/g, escape);
}

function sample(create: () => fc.Arbitrary<Json>): readonly Json[] {
  try {
    return fc.sample(create(), { numRuns: VALUES, seed: SEED });
  } catch {
    return [...PARTS]; // No value is valid.
  }
}

/** Returns copies of a value in which one part is removed or replaced. */
function changesOf(value: Json): readonly Json[] {
  const changes: Json[] = [...PARTS];
  if (typeof value !== 'object' || value === null) return changes;
  for (const [key, part] of Object.entries(value)) {
    const copy = (replacement?: Json): Json => {
      const entries = Object.entries(value).filter(([name]) => name !== key || replacement !== undefined);
      const members = entries.map(([name, member]) => [name, name === key ? replacement : member] as const);
      return (Array.isArray(value) ? members.map(([, member]) => member) : Object.fromEntries(members)) as Json;
    };
    changes.push(copy(), ...changesOf(part).slice(0, CHANGES).map(copy));
  }
  return changes;
}

async function send(schema: string, body: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json' };
  return (await fetch(`${mock.url}/${schema}`, { method: 'POST', headers, body })).status;
}

/** Type-checks the assignment of each value to the type of its schema. Returns the error of each value, or an empty text. */
async function compile(values: readonly (readonly [schema: string, value: string])[]): Promise<readonly string[]> {
  const { files } = await renderContract(path);
  const head = "import type { components } from './types.ts';\ndeclare const schemas: components['schemas'];\n";
  const text = head + values.map(([schema, value]) => `schemas.${schema} = ${value};`).join('\n');
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
  const errors = values.map(() => '');
  for (const { file, start, messageText, code } of ts.getPreEmitDiagnostics(program)) {
    const line = file?.getLineAndCharacterOfPosition(start ?? 0).line ?? 0;
    expect(file?.fileName).toMatch(/literals\.ts$/);
    errors[line - 2] = `TS${String(code)}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  }
  return errors;
}
