import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadContract } from '@contract-first/documents';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { startService } from '@contract-first/testing/service.ts';
import type { CheckName } from '../src/judgement/checks.ts';
import { checkContract } from '../src/contract-run.ts';

const DOCUMENT = `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
security: []
paths:
  /things:
    post:
      operationId: addThing
      parameters:
        - { name: X-Source, in: header, required: true, schema: { type: string, enum: [web, shop] } }
        - { name: page, in: query, schema: { type: integer, format: int64, minimum: 1 } }
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses: { '204': { description: Added. }, '400': { description: Refused. } }
components:
  schemas:
    Base: { type: object, required: [id, name], properties: { id: { type: integer, readOnly: true }, name: { type: string, minLength: 1 } } }
    Thing:
      allOf:
        - $ref: '#/components/schemas/Base'
        - type: object
          required: [kind, code]
          properties:
            kind: { type: string, enum: [big, small] }
            version: { const: { major: 1 } }
            code: { type: string, pattern: '^[a-z]{2}\\d$' }
            count: { type: integer, format: int64 }
            tags: { type: array, items: { type: string }, uniqueItems: true }
            size: { oneOf: [{ type: integer }, { type: string, maxLength: 3 }] }
            until: { type: string, format: date-time }
`;

const loaded = await loadContract(write('openapi.yaml', DOCUMENT), 'validity');
if (loaded.document === undefined) throw new Error(JSON.stringify(loaded.diagnostics));
const document = loaded.document;

/** Checks a mock whose engine has one text replaced in a source file. Returns the failed checks. */
async function failuresWith(
  [file, text, replacement]: readonly [file: string, text: string, replacement: string],
  checks?: readonly CheckName[],
): Promise<readonly string[]> {
  const hook = `
    import { registerHooks, stripTypeScriptTypes } from 'node:module';
    const { file, text, replacement } = ${JSON.stringify({ file, text, replacement })};
    registerHooks({
      load(url, context, next) {
        const loaded = next(url, context);
        if (!url.endsWith('/packages/' + file)) return loaded;
        const parts = String(loaded.source).split(text);
        if (parts.length !== 2) throw new Error(url + ' does not have the text of the fault once');
        return { format: 'module', shortCircuit: true, source: stripTypeScriptTypes(parts.join(replacement)) };
      },
    });`;
  const mock = ['packages/cli/bin.js', 'mock', write('openapi.yaml', DOCUMENT)];
  const { url } = await startService({}, ['node', '--import', write('fault.mjs', hook), ...mock]);
  const { failures } = await checkContract({
    ...{ document, baseUrl: url, seed: 1, runs: 5, budgetMs: 120_000 },
    ...(checks && { checks: new Set(checks) }),
  });
  return failures.map(({ check }) => check);
}

test('an engine without a fault passes the checks', async () => {
  expect(await failuresWith(['contract/src/validation/equality.ts', 'const seen', 'const seen'])).toEqual([]);
});

const REJECTION = 'negative_data_rejection';

test.each([
  [
    REJECTION,
    'every value is in an enum',
    'contract/src/validation/equality.ts',
    '&& allowed.has(identityOf(value, digits, digitsOf))',
    '',
  ],
  [
    REJECTION,
    'every value is constant',
    'contract/src/validation/equality.ts',
    'createTest([allowedValue])',
    '() => true',
  ],
  [REJECTION, 'all items are unique', 'contract/src/validation/equality.ts', 'seen.set(identity, j)', ''],
  [
    REJECTION,
    'every text matches a pattern',
    'contract/src/validation/pattern.ts',
    "new RegExp(pattern, 'u')",
    "new RegExp('')",
  ],
  [
    REJECTION,
    'an int64 has 65 bits',
    'contract/src/operations/int64.ts',
    'value <= MAX) return value',
    'value <= MAX * 2n) return value',
  ],
  [
    REJECTION,
    'no property is required',
    'documents/src/operations/directed-schemas.ts',
    "(node['required'] ?? [])",
    '[]',
  ],
  [
    REJECTION,
    'nothing is read of allOf',
    'documents/src/operations/directed-schemas.ts',
    'map(part) : part',
    'map(() => true) : part',
  ],
  [REJECTION, 'every timestamp is valid', 'contract/src/validation/formats.ts', '&& validate(text)', '|| true'],
  [
    'positive_data_acceptance',
    'readOnly is required',
    'documents/src/operations/directed-schemas.ts',
    '.difference(optional)',
    '',
  ],
  [
    'missing_required_header',
    'no header is required',
    'documents/src/operations/operation-schemas.ts',
    'required.length > 0 &&',
    'false &&',
  ],
] as const)('%s fails for an engine in which %s', async (check, _name, file, text, replacement) => {
  expect(await failuresWith([file, text, replacement], [check])).toContain(check);
});

function write(name: string, text: string): string {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return path;
}
