import ts from 'typescript';
import { renderTypes } from '../src/types.ts';

const HEAD = { openapi: '3.1.0', info: { title: 'Test', version: '1' } };
const OK = { '204': { description: 'Done.' } };

/** Renders the type of a schema in a document with the component B, on one line. */
function typeOf(schema: object): string {
  const text = renderTypes({ ...HEAD, components: { schemas: { It: schema, B } } });
  const [, type = ''] = /^ {8}It: ([^]*?);\n {8}B: /m.exec(text) ?? [];
  return type.replaceAll(/\s+/g, ' ');
}

const A = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
const B = { type: 'object', properties: { b: { type: 'integer' } } };

test.each<[string, object, string]>([
  ['an int64', { type: ['integer', 'null'], format: 'int64' }, 'bigint | null'],
  ['values', { type: 'string', enum: ['x', 'y', null] }, '"x" | "y"'],
  ['a constant', { const: { a: [1, null] } }, '{ a: [ 1, null ]; }'],
  [
    'alternatives in a list',
    { type: 'array', items: { anyOf: [{ type: 'string' }, A] } },
    '(string | { a: string; })[]',
  ],
  ['a tuple', { type: 'array', prefixItems: [{}, A], minItems: 1, items: false }, '[ unknown, { a: string; }? ]'],
  ['a required property of a part', { allOf: [B, { required: ['b'] }] }, '{ b: number; }'],
  [
    'a required property of a reference',
    { allOf: [{ $ref: '#/components/schemas/B' }], required: ['b'] },
    'WithRequired<components["schemas"]["B"], "b">',
  ],
  [
    'one without a schema',
    { type: 'object', required: ['c'], properties: { b: {} } },
    '{ b?: unknown; c: {} | null; }',
  ],
  [
    'properties beside alternatives',
    { ...A, oneOf: [B, { type: 'object' }] },
    '{ a: string; } & ({ b?: number; } | Record<string, unknown>)',
  ],
  [
    'other properties',
    { ...A, additionalProperties: { type: 'integer' } },
    '{ a: string; } & { [key: string]: number | string; }',
  ],
  ['no properties', { type: 'object', additionalProperties: false }, 'Record<string, never>'],
  ['a schema in itself', { type: 'array', items: { $ref: '#/components/schemas/It' } }, 'RecursiveIt[]'],
  ['a property of a schema', { $ref: '#/components/schemas/B/properties/b' }, 'components["schemas"]["B"]["b"]'],
])('the type of %s', (_name, schema, type) => {
  expect(typeOf(schema)).toBe(type);
});

test.each<[object, string]>([
  [{ type: 'integer' }, 'number'],
  [{ type: 'string', format: 'binary' }, 'unknown'],
])('the type of a body in a range: %j', (schema, type) => {
  const requestBody = { required: true, content: { '*/*': { schema } } };
  const text = renderTypes({ ...HEAD, paths: { '/a': { post: { operationId: 'op', requestBody, responses: OK } } } });
  const [, printed = ''] = /^ {4}op: [^]*?"\*\/\*": (.*);$/m.exec(text) ?? [];
  expect(printed).toBe(type);
});

test('references lead to components, also in webhooks', () => {
  const document = {
    ...HEAD,
    webhooks: { done: { post: { parameters: [{ $ref: '#/components/parameters/Q' }], responses: OK } } },
    components: {
      schemas: {},
      parameters: { Q: { name: 'q', in: 'query', required: true, schema: { type: 'integer' } } },
      requestBodies: { One: { $ref: '#/components/requestBodies/Other' }, Other: { content: {} } },
    },
  };
  const text = renderTypes(document);
  expect(text).toMatch(/^ {16}query: \{\n {20}q: components\["parameters"\]\["Q"\];\n/m);
  expect(text).toContain('One: components["requestBodies"]["Other"];');
});

test('names and texts of a document cannot inject code', () => {
  const names = [
    '__proto__',
    'a\u2028b',
    '*/ export type X = 1; /* "\'`${x}',
    'a#b',
    '\ud800',
    '\n',
    '01',
    'é',
    '100%',
    '/#/%zz',
  ];
  const properties = Object.fromEntries(
    names.map((name) => [name, { title: name, enum: [name], example: { name, size: 2n ** 60n } }]),
  );
  const paths = names.map(
    (name) => [`/${name}`, { get: { operationId: name, summary: name, responses: OK } }] as const,
  );
  const text = renderTypes({
    ...HEAD,
    paths: Object.fromEntries(paths),
    components: { schemas: { It: { properties, required: names } } },
  });
  const source = ts.createSourceFile('types.ts', text, ts.ScriptTarget.ESNext, true);
  const members = source.statements.map((node) => (ts.isInterfaceDeclaration(node) ? node.members.length : node.kind));
  const alias = ts.SyntaxKind.TypeAliasDeclaration;
  expect(members).toEqual([names.length, alias, 6, alias, names.length]); // `webhooks` and `$defs` are empty.
  expect(ts.transpileModule(text, { reportDiagnostics: true }).diagnostics).toEqual([]);
});

test.each([
  ['required by all alternatives', [{ a: [] }, { b: [], a: [] }], true],
  ['optional', [{ a: [] }, {}], false],
  ['not required', [], false],
])('the types of an operation include whether credentials are required: %s', (_name, security, isRequired) => {
  const paths = { '/a': { get: { operationId: 'op', responses: OK } } };
  expect(renderTypes({ ...HEAD, security, paths }).includes('security: "required";')).toBe(isRequired);
});
