import { CHECK_NAMES, isStateCheck } from '../src/judgement/checks.ts';
import { checkContract } from '../src/contract-run.ts';
import { instead, LABEL, on } from './support/library-changes.ts';
import { libraryDocument } from './support/library-document.ts';
import { FLAWED_LIBRARIES } from './support/library-flaws.ts';
import { startLibrary } from './support/library-server.ts';

const library = { document: libraryDocument, seed: 1, runs: 0, budgetMs: 120_000 };
const checks = new Set(CHECK_NAMES.filter(isStateCheck));

test('a library that conforms to its document passes every check', async () => {
  const baseUrl = await startLibrary();
  const result = await checkContract({ ...library, baseUrl, runs: 10 });
  expect(result).toMatchObject({
    failures: [],
    notes: [],
    unused: ['ignored_auth', 'missing_required_header', 'action_effects'],
  });
});

test('a library that repeats its responses to known idempotency keys passes a second run with the same seed', async () => {
  const baseUrl = await startLibrary();
  const run = () => checkContract({ ...library, baseUrl, checks });
  expect([...(await run()).failures, ...(await run()).failures]).toEqual([]);
});

test.each(FLAWED_LIBRARIES)('a library that %s fails %s of %s', async (_name, check, operation, flaw) => {
  const baseUrl = await startLibrary(flaw);
  const { failures } = await checkContract({ ...library, baseUrl, checks });
  const found = failures.map((failure) => `${failure.check} ${failure.operationId}: ${failure.message}`);
  expect(found).toContainEqual(expect.stringContaining(`${check} ${operation}: `));
});

test('a library that answers 200 to a PUT of a new label fails status_code_conformance of putLabel', async () => {
  const baseUrl = await startLibrary(
    instead(on('PUT', LABEL), (request, respond) => {
      const answer = respond(request);
      return answer.status === 201 ? { ...answer, status: 200 } : answer;
    }),
  );
  const options = {
    operations: ['getLabel', 'putLabel'],
    checks: new Set([...checks, 'status_code_conformance'] as const),
  };
  const { failures } = await checkContract({ ...library, ...options, baseUrl });
  expect(failures.map(({ cause }) => cause)).toEqual(['a PUT that creates a resource gets 200, not 201']);
});
