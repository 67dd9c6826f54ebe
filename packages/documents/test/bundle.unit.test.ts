import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { linesOf } from '@contract-first/testing/contract.ts';
import { loadContract } from '../src/load.ts';

const HEAD = "openapi: 3.1.0\ninfo: { title: Test, version: '1' }\n";
const schema = (reference: string, members = ''): string => `{ $ref: '${reference}'${members} }`;
const post = (reference: string): string =>
  `{ post: { requestBody: { content: { application/json: { schema: ${schema(reference)} } } }, responses: {} } }`;

/** Loads `openapi.yaml` of some files. */
async function load(files: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const path = join(folder, 'openapi.yaml');
  const loaded = await loadContract(path, 'validity');
  return { ...loaded, lines: linesOf(loaded.diagnostics, path).replaceAll(/\S*\/(?=\w+\.yaml)/g, '') };
}

/** Returns the paths and components of some files. */
async function bundleOf(files: Readonly<Record<string, string>>) {
  const { document, lines, schemaNames } = await load(files);
  expect({ lines, isRead: document !== undefined }).toEqual({
    lines: expect.not.stringContaining('error:'),
    isRead: true,
  });
  const { paths, components, tags } = JSON.parse(JSON.stringify(document)) as Readonly<Record<string, object>>;
  return { text: JSON.stringify(paths), components, tags, lines, schemaNames };
}

test('a schema of another file becomes a component with the name that its author gave it', async () => {
  const { text, components, schemaNames } = await bundleOf({
    'openapi.yaml': `${HEAD}paths: { /a: ${post('models.yaml#/components/schemas/Pet')}, /b: ${post('parts/item.json')} }`,
    'models.yaml': `components: { schemas: { Pet: { properties: { owner: ${schema('#/components/schemas/Owner')} } }, Owner: ${schema('parts/person.yaml')} } }`,
    'parts/person.yaml': 'type: object',
    'parts/item.json': '{ "type": "string" }',
  });
  expect(text).toContain('"#/components/schemas/Pet"');
  expect(text).toContain('"#/components/schemas/item"');
  expect(components).toEqual({
    schemas: {
      Pet: { properties: { owner: { $ref: '#/components/schemas/Owner' } } },
      item: { type: 'string' },
      Owner: { type: 'object' },
    },
  });
  expect(schemaNames.get('Pet')).toEqual(['Pet']);
});

test('a component that refers to another file gets the content of the target', async () => {
  const { text, components } = await bundleOf({
    'openapi.yaml': `${HEAD}paths: { /a: ${post('pet.yaml')} }\ncomponents: { schemas: { Animal: ${schema('pet.yaml')}, Beast: ${schema('pet.yaml')} } }`,
    'pet.yaml': "properties: { parent: { $ref: 'openapi.yaml#/components/schemas/Animal' } }",
  });
  expect(text).toContain('"#/components/schemas/Animal"');
  const Animal = { properties: { parent: { $ref: '#/components/schemas/Animal' } } };
  expect(components).toEqual({ schemas: { Animal, Beast: { $ref: '#/components/schemas/Animal' } } });
});

test.each([
  ['in components', 'components: { schemas: { SCHEMAS } }', '#/components/schemas/'],
  ['in a file of schemas', 'SCHEMAS', '#/'],
])('schemas with a discriminator of another file in allOf become components: %s', async (_name, file, place) => {
  const child = (parent: string): string => `{ allOf: [${schema(place + parent)}] }`;
  const parent = '{ properties: { kind: { type: string } }, discriminator: { propertyName: kind } }';
  const schemas = `Pet: ${parent}, Cat: ${child('Pet')}, Kitten: ${child('Cat')}, Stone: { allOf: [{ type: object }] }`;
  const { components } = await bundleOf({
    'openapi.yaml': `${HEAD}paths: { /a: ${post(`models.yaml${place}Pet`)} }`,
    'models.yaml': `{ ${file.replace('SCHEMAS', schemas)} }`,
  });
  expect(components).toMatchObject({
    schemas: {
      Cat: { allOf: [{ $ref: '#/components/schemas/Pet' }] },
      Kitten: { allOf: [{ $ref: '#/components/schemas/Cat' }] },
    },
  });
  expect(components).not.toHaveProperty('schemas.Stone');
});

test('equal components with the same name become one component; if they differ, the second gets a number', async () => {
  const files = (other: string): Readonly<Record<string, string>> => ({
    'openapi.yaml': `${HEAD}paths: { /a: ${post('a.yaml#/components/schemas/E')}, /b: ${post('b.yaml#/components/schemas/E')} }`,
    'a.yaml': `components: { schemas: { E: { properties: { c: ${schema('#/components/schemas/C')} } }, C: { type: string } } }`,
    'b.yaml': `components: { schemas: { E: { properties: { c: ${schema('#/components/schemas/C')} } }, C: ${other} } }`,
  });
  const same = await bundleOf(files('{ type: string }'));
  expect(Object.keys((same.components as { schemas: object }).schemas)).toEqual(['E', 'C']);
  const { components, lines } = await bundleOf(files('{ type: integer }'));
  expect(components).toMatchObject({
    schemas: { 'E-2': { properties: { c: { $ref: '#/components/schemas/C-2' } } }, 'C-2': { type: 'integer' } },
  });
  expect(lines).toMatch(/warn: is E-2 in the bundle, since E of a\.yaml is another component/);
});

test('references have escapes of JSON pointers and of URIs', async () => {
  const names = {
    'tilde~field': 'tilde~0field',
    'slash/field': 'slash~1field',
    'percent%field': 'percent%25field',
    '': '',
  };
  const { text, components } = await bundleOf({
    'openapi.yaml': `${HEAD}paths: { ${Object.values(names)
      .map((name, index) => `/${String(index)}: ${post(`defs%20of.yaml#/$defs/${name}`)}`)
      .join()}, /own: ${post('#/components/schemas/A/properties/percent%25field~1')} }
components: { schemas: { A: { properties: { 'percent%field/': { type: boolean } } } } }`,
    'defs of.yaml': `$defs: ${JSON.stringify(Object.fromEntries(Object.keys(names).map((name) => [name, { title: name }])))}`,
  });
  expect(components).toMatchObject({
    schemas: {
      tilde_field: { title: 'tilde~field' },
      slash_field: {},
      percent_field: { title: 'percent%field' },
      schema: {},
    },
  });
  expect(text).toContain('#/components/schemas/A/properties/percent%25field~1');
});

test('objects that cannot be components are copied, also where OpenAPI has no references', async () => {
  const { text, components, tags } = await bundleOf({
    'openapi.yaml': `${HEAD}tags: [{ name: a, description: { $ref: about.md } }]\npaths: { $ref: paths.yaml }\ncomponents: { schemas: { $ref: schemas.yaml } }`,
    'paths.yaml': "/a: { summary: A, $ref: 'paths/a.yaml' }",
    'paths/a.yaml': `get: { responses: { '200': { description: A, content: { application/json: { schema: ${schema('../schemas.yaml#/A')} } } } }, callbacks: { c: { '{$url}': { $ref: a.yaml } } } }`,
    'schemas.yaml': 'A: { type: string }',
    'about.md': '# About: a',
  });
  expect(tags).toEqual([{ name: 'a', description: '# About: a' }]);
  expect(text).toContain('"summary":"A"');
  expect(text).toContain('"callbacks":{"c":{"{$url}":{"$ref":"#/paths/~1a"}}}');
  expect(components).toEqual({ schemas: { A: { type: 'string' } } });
});

test('the places of messages are in the files where the parts were written', async () => {
  const { lines, placeOf } = await load({
    'openapi.yaml': `${HEAD}paths:\n  /a: ${post('pet.yaml#/Pet')}\n  /b: ${post('none.yaml')}\n  /c: ${post('pet.yaml#/Cat')}\n  /d: ${post('bad.yaml')}`,
    'pet.yaml': 'Pet:\n  type: object\n  properties:\n    a: &a { minLength: x }\n    b: *a\n',
    'bad.yaml': 'type: string\n bad: 1\n',
  });
  expect(lines).toContain('pet.yaml:4:13 #/Pet/properties/a/minLength  error: minLength must be an integer');
  expect(lines).toContain('pet.yaml:4:13 #/Pet/properties/b/minLength  error: minLength must be an integer');
  expect(lines).toMatch(/^openapi\.yaml:5:\d+ \S+\/schema {2}error: \$ref to none\.yaml cannot be read: ENOENT/m);
  expect(lines).toMatch(/^openapi\.yaml:6:\d+ \S+\/schema {2}error: \$ref leads to nothing: no Cat in .*pet\.yaml#/m);
  expect(lines).toMatch(/^bad\.yaml:2:\d+ {2}error: bad indentation of a mapping entry$/m);
  expect(placeOf('#/components/schemas/Pet/type')).toMatch(/pet\.yaml:2:3 #\/Pet\/type$/);
});

test.each<[string, string, string]>([
  ['a repeated name', '"a": 1, "a": 2', 'openapi.yaml:1:82  error: duplicated mapping key'],
  ['a repeated name with escapes', '"a\\\\": 1, "\\"b\\": ": 2, "a\\\\" : 3', 'error: duplicated mapping key'],
])('a JSON document is refused: %s', async (_name, members, problem) => {
  const text = `{"openapi": "3.1.0", "info": {"title": "Test", "version": "1"}, "x-a": {${members}}, "paths": {}}`;
  expect((await load({ 'openapi.yaml': text })).lines).toContain(problem);
});

test('numbers of a JSON document keep their digits', async () => {
  const numbers = '[9223372036854775807,-0,0.12345678901234567890,1e400,{"a":12345678901234567890}]';
  const head = '{"openapi":"3.1.0","info":{"title":"Test","version":"1"},"paths":{}';
  const { source } = await load({ 'openapi.yaml': `${head},"x-a":${numbers}}` });
  expect(JSON.stringify(source)).toContain(`"x-a":${numbers}`);
});

test('numbers keep their digits, also as names', async () => {
  const { source } = await load({
    'openapi.yaml': `${HEAD}paths: {}\nx-a: [9223372036854775807, -0, 0.12345678901234567890, 0xFFFFFFFFFFFFFFFF, +1.50, 1e2]\nx-b: { 12345678901234567890: a, 200: b }`,
  });
  const numbers = '[9223372036854775807,-0,0.12345678901234567890,18446744073709551615,1.5,100]';
  expect(JSON.stringify(source)).toContain(`"x-a":${numbers},"x-b":{"200":"b","12345678901234567890":"a"}`);
});
