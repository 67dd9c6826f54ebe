import { loadContract, type OpenApiDocument } from '@contract-first/documents';
import {
  type Fragment,
  operationWith,
  property,
  query,
  requestWith,
  responseWith,
  summarize,
} from '@contract-first/testing/document.ts';
import type { Subject } from '../src/rules/comparison.ts';
import { RULES, SUBJECTS } from '../src/rules/rules.ts';
import { DOCUMENT_CHANGES, type DocumentChange } from './support/document-changes.ts';
import { COMPONENTS, SCHEMA_CHANGES } from './support/schema-changes.ts';

/** The rules that are covered by other tests. */
const ELSEWHERE = [
  // operations.unit.test.ts: it always comes with the findings of a moved operation.
  'new-request-path-parameter',
  // policy.test.ts
  'api-version-not-bumped',
  'api-version-decreased',
  'api-major-version-not-bumped',
  'ignore-entry-unused',
  'ignore-entry-expired',
];

const rest = { components: COMPONENTS };
const parameterOf = (schema: Fragment): OpenApiDocument => operationWith({ parameters: [query({ schema })] }, rest);
const headerOf = (schema: Fragment): OpenApiDocument =>
  operationWith({ responses: { '200': { description: 'Done.', headers: { 'X-A': { schema } } } } }, rest);
/** Returns a document with a schema for each subject. */
const DOCUMENTS: Readonly<Record<Subject, (schema: Fragment) => OpenApiDocument>> = {
  'request-body': (schema) => requestWith(schema, rest),
  'request-property': (schema) => requestWith(property(schema), rest),
  'request-parameter': parameterOf,
  'request-parameter-property': (schema) => parameterOf(property(schema)),
  'response-body': (schema) => responseWith(schema, rest),
  'response-property': (schema) => responseWith(property(schema), rest),
  'response-header': headerOf,
};
const ALL = Object.keys(SUBJECTS) as Subject[]; // The record contains all subjects.

const ofSchemas = SCHEMA_CHANGES.flatMap(([aspect, reverse, base, revision, subjects = ALL]) =>
  subjects.map((subject): DocumentChange => {
    const documentOf = DOCUMENTS[subject];
    return [ruleOf(subject, aspect), reverse && ruleOf(subject, reverse), documentOf(base), documentOf(revision)];
  }),
);
const CHANGES = [...ofSchemas, ...DOCUMENT_CHANGES].map(
  ([rule, reverse, base, revision]) => [withLevel(rule), reverse && withLevel(reverse), base, revision] as const,
);

const named = CHANGES.map(
  ([rule, reverse, ...documents]) =>
    [reverse === undefined ? rule : `${rule}, reversed ${reverse}`, rule, reverse, ...documents] as const,
);
test.each(named)('contract:diff reports one finding: %s', (_name, rule, reverse, base, revision) => {
  expect(summarize(base, revision)).toEqual([rule]);
  if (reverse !== undefined) expect(summarize(revision, base)).toEqual([reverse]);
});

test('the compared documents are valid', async () => {
  const schemas = SCHEMA_CHANGES.flatMap(([_aspect, _reverse, base, revision]) => [base, revision]);
  const documents = [
    ...ALL.map((subject) => DOCUMENTS[subject]({ type: 'object', properties: Object.fromEntries(schemas.entries()) })),
    ...DOCUMENT_CHANGES.flatMap(([_rule, _reverse, base, revision]) => [base, revision]),
  ];
  for (const document of documents) {
    const { diagnostics } = await loadContract('openapi.json', 'validity', () =>
      Promise.resolve(JSON.stringify(document)),
    );
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  }
});

test('the changes cover each rule with each of its levels', () => {
  const shown = new Set(CHANGES.flatMap(([rule, reverse]) => [rule, reverse ?? []].flat()));
  const listed = [...RULES.values()].filter(({ name }) => !ELSEWHERE.includes(name));
  const want = listed.flatMap(({ name, levels }) => levels.map((level) => `${level} ${name}`));
  expect([...shown].sort()).toEqual(want.sort());
});

/** Returns the rule for an aspect of a subject: `ERR type-changed` becomes `ERR request-body-type-changed`. */
function ruleOf(subject: Subject, aspect: string): string {
  return aspect.replace(/[a-z].*/, `${subject}-$&`);
}

/** Returns a rule with its level, which is optional if the rule has only one level. */
function withLevel(rule: string): string {
  const levels = RULES.get(rule)?.levels;
  return levels === undefined ? rule : `${levels.join(' or ')} ${rule}`;
}
