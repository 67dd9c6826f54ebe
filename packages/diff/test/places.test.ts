import { parametersWith } from '@contract-first/testing/document.ts';
import type { Change } from '../src/change.ts';
import { createDiffProject, type DiffProject } from './support/diff-project.ts';

const USED = ['a', 'b', 'c', 'd'];
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** Returns a document in which four operations receive and return the same component. */
function shared(schemas: Readonly<Record<string, unknown>>): string {
  const content = { 'application/json': { schema: ref('Thing') } };
  const post = { requestBody: { content }, responses: { '200': { description: 'OK', content } } };
  const paths = Object.fromEntries(USED.map((name) => [`/${name}`, { post: { ...post, operationId: name } }]));
  const info = { title: 'Things', version: '1.0' };
  return JSON.stringify({ openapi: '3.1.0', info, security: [], paths, components: { schemas } }, null, 2);
}

function projectWith(base: string, revision: string): DiffProject {
  const project = createDiffProject();
  project.write('base.json', base);
  project.write('revision.json', revision);
  return project;
}

const text = async (base: string, revision: string): Promise<string> =>
  (await projectWith(base, revision).diff('base.json', 'revision.json')).stdout;

const property = (schema: unknown) => ({ Thing: { type: 'object', properties: { p: schema } } });

test('a change of a shared component is reported once, with its place and the affected operations', async () => {
  const found = await text(shared(property({ enum: ['x'] })), shared(property({ enum: ['x', 'y', 'z'] })));
  expect(found).toMatch(/^revision\.json:\d+ \/components\/schemas\/Thing\/properties\/p\/enum\n/);
  expect(found.split('\n').slice(1)).toEqual([
    '  ERR   response-property-enum-value-added  response 200 body/p: values "y", "z" were added',
    '  INFO  request-property-enum-value-added   request body/p: values "y", "z" were added',
    '  in 4 operations: POST /a, POST /b, POST /c and 1 more',
    'about the rules: docs/rules/responses.md',
    '1 error, 0 warnings, 0 notes in 4 operations',
    '',
  ]);
});

const one = { type: 'object', required: ['a', 'b'], properties: { a: { type: 'string' }, b: { maxLength: 1 } } };
const other = { type: 'object', required: ['a'], properties: { a: { type: 'integer' }, b: {} } };

test('a $ref with a different target is one change, with all resulting findings', async () => {
  const documentOf = (name: string): string => shared({ ...property(ref(name)), One: one, Other: other });
  const found = await text(documentOf('One'), documentOf('Other'));
  const [place, reference] = found.split('\n');
  expect(place).toMatch(/^revision\.json:\d+ \/components\/schemas\/Thing\/properties\/p$/);
  expect(reference).toBe('  $ref #/components/schemas/One became #/components/schemas/Other');
  expect(found).toContain('response 200 body/p/a: type string became integer\n');
  expect(found).toContain('request body/p: property b is no longer required\n');
  expect(found).toContain('\n1 error, 0 warnings, 0 notes in 4 operations\n');
});

test('a change of a renamed component has its own place', async () => {
  const base = shared({ ...property(ref('One')), One: one });
  const found = await text(base, shared({ ...property(ref('New')), New: { ...one, required: ['a'] } }));
  expect(found).toMatch(/^revision\.json:\d+ \/components\/schemas\/New\/properties\/b\n/);
  expect(found).not.toContain('$ref');
});

test('--json lists all operations and findings of a change', async () => {
  const project = projectWith(shared(property({ type: 'string' })), shared(property({ type: 'integer' })));
  const { stdout } = await project.diff('base.json', 'revision.json', '--json');
  const [change] = JSON.parse(stdout) as readonly Change[]; // The output is an array of changes.
  expect(change?.operations).toEqual(USED.map((name) => `POST /${name}`));
  expect(change?.findings.map(({ level, rule }) => `${level} ${rule}`)).toEqual([
    'ERR request-property-type-changed',
    'ERR response-property-type-changed',
  ]);
});

test('findings of the same change in several values are named by the common part of their names', async () => {
  const schema = (maxLength: number) => ({ ...property(ref('Text')), Text: { type: 'string', maxLength } });
  const twice = (maxLength: number) => {
    const { Thing, ...rest } = schema(maxLength);
    return shared({ Thing: { ...Thing, properties: { ...Thing.properties, q: ref('Text') } }, ...rest });
  };
  expect(await text(twice(5), twice(4))).toContain('  request body: maxLength 5 became maxLength 4\n');
  const nested = (maxLength: number) => {
    const { Thing, ...rest } = schema(maxLength);
    return shared({ Thing: { ...Thing, properties: { ...Thing.properties, q: Thing } }, ...rest });
  };
  expect(await text(nested(5), nested(4))).toContain('  request body/…/p: maxLength 5 became maxLength 4\n');
  const sent = (maxLength: number) => {
    const parameters = ['query', 'header'].map((place) => ({ name: 'p', in: place, schema: ref('Text') }));
    return JSON.stringify({ ...parametersWith(...parameters), components: { schemas: schema(maxLength) } });
  };
  expect(await text(sent(5), sent(4))).toContain('decreased  … parameter p: maxLength 5 became maxLength 4\n');
});
