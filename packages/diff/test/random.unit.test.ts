import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { compareDocuments } from '../src/operations/documents.ts';
import type { Finding } from '../src/rules/finding.ts';
import { changedSchemas, randomSchemas, VALUES, type RandomSchema } from './support/random-schemas.ts';
import { asVersion30, asVersion31, splitIntoAllOf } from './support/schema-rewrites.ts';
import { rounds } from '@contract-first/testing/rounds.ts';
import { requestWith, responseWith } from '@contract-first/testing/document.ts';

const RUNS = { numRuns: rounds(75, 1_000) };
const ajv = new Ajv2020({ strict: false });
const compile = (schema: RandomSchema) => ajv.compile(schema);
const compare = (
  documentWith: typeof requestWith,
  before: object,
  after: object,
  components = {},
  newer = components,
) => compareDocuments(documentWith(before, components), documentWith(after, newer), '2026-01-01');
// Skips schemas that Ajv misreads: with `contains` and `prefixItems`, it accepts an empty list; beside other keywords
// for properties, it applies `unevaluatedProperties` to evaluated properties.
const MISREAD = /"contains".*"prefixItems"|"prefixItems".*"contains"|Properties".*"unevaluatedProperties"/;
const schemas = (all: object) => ({ components: { schemas: all } });
const bothWays = (before: object, after: object, components = {}, newer = components): readonly Finding[] =>
  [requestWith, responseWith].flatMap((documentWith) => [
    ...compare(documentWith, before, after, components, newer),
    ...compare(documentWith, after, before, newer, components),
  ]);

test('narrowed requests and widened responses are reported, for random changes', () => {
  const change = fc.property(changedSchemas(), ([before, after]) => {
    fc.pre(!MISREAD.test(JSON.stringify([before, after])));
    const [wasValid, isValid] = [compile(before), compile(after)];
    // Skips unsatisfiable schemas, which clients cannot use.
    fc.pre(VALUES.some((value) => wasValid(value)) && VALUES.some((value) => isValid(value)));
    const lost = VALUES.filter((value) => wasValid(value) && !isValid(value));
    const gained = VALUES.filter((value) => !wasValid(value) && isValid(value));
    // Clients are expected to send only documented properties, so that properties can be added.
    const all = compare(requestWith, before, after);
    const inRequest = all.filter(({ rule }) => rule !== 'new-optional-request-property');
    const hasNewProperty = inRequest.length < all.length;
    expect(lost.length > 0 && !hasNewProperty && severest(inRequest) === 'INFO' ? lost : []).toEqual([]);
    const isQuiet = severest(compare(responseWith, before, after)) === 'INFO';
    expect(isQuiet ? gained : []).toEqual([]);
  });
  fc.assert(change, RUNS);
});

test.each<[string, (schema: RandomSchema) => readonly Finding[]]>([
  ['the same document', (schema) => bothWays(schema, schema)],
  ['keywords in another order', (schema) => bothWays(schema, Object.fromEntries(Object.entries(schema).toReversed()))],
  [
    'a schema by reference',
    (schema) => bothWays(schema, { $ref: '#/components/schemas/A' }, {}, schemas({ A: schema })),
  ],
  [
    'a component of another name',
    (schema) =>
      bothWays(
        { $ref: '#/components/schemas/A' },
        { $ref: '#/components/schemas/B' },
        schemas({ A: schema }),
        schemas({ B: schema }),
      ),
  ],
  ['an allOf of one', (schema) => bothWays(schema, { allOf: [schema] })],
  [
    'an allOf with an empty schema and a description',
    (schema) => bothWays(schema, { description: 'A', allOf: [{}, schema] }),
  ],
  ['an allOf of its keywords', (schema) => bothWays(schema, splitIntoAllOf(schema))],
  [
    'OpenAPI 3.0 and the same in 3.1',
    (schema) => {
      const before = asVersion30(schema);
      return bothWays(before, asVersion31(before), { openapi: '3.0.3' }, { openapi: '3.1.0' });
    },
  ],
])('nothing is reported for %s', (_name, findings) => {
  fc.assert(
    fc.property(randomSchemas(), (schema) => {
      expect(findings(schema)).toEqual([]);
    }),
    RUNS,
  );
});

/** Returns the most severe level of findings; INFO if there are none. */
function severest(findings: readonly Finding[]): string {
  return ['ERR', 'WARN'].find((level) => findings.some((finding) => finding.level === level)) ?? 'INFO';
}
