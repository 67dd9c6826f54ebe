import { checkContract } from '../src/contract-run.ts';
import { formatResult } from '../src/reports/text.ts';
import { BROKEN_SERVERS } from './support/defects.ts';
import { referenceDocument, shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN } from './support/reference-server.ts';

// A large budget, so that the result does not depend on the machine's load.
const reference = { document: shallowDocument, token: TOKEN, seed: 1, runs: 5, budgetMs: 120_000 };

test.each([
  ['recursive', referenceDocument],
  ['shallow', shallowDocument],
])(
  'a server that conforms to its document passes every check, and every check applies: the %s document',
  async (_name, document) => {
    const baseUrl = await startReferenceServer();
    const result = await checkContract({ ...reference, document, baseUrl, runs: 20 });
    expect(formatResult(result, { baseUrl, redactor: undefined, repeatLine: () => '' })).toMatch(
      /^sequences of requests were not checked for 1 resource: no operation creates resources \(deleteItem\)\nchecked: 6 operations, \d+ requests, 0 failures \(seed 1\)$/,
    );
  },
  150_000,
);

test.each(BROKEN_SERVERS)('a server that %s fails %s of %s', async (_name, check, operation, defect) => {
  const baseUrl = await startReferenceServer(defect);
  // Runs all checks only for the first defect of each check, since the requests for other checks take most of the time.
  const isFirst = BROKEN_SERVERS.find(([, other]) => other === check)?.[3] === defect;
  const checks = isFirst ? undefined : new Set([check]);
  const { failures } = await checkContract({ ...reference, baseUrl, operations: [operation], checks });
  expect(failures.map((failure) => failure.check)).toContain(check);
  expect(new Set(failures.map(({ operationId }) => operationId))).toEqual(new Set([operation]));
});

test('a failure that only generated requests cause is found and reported with the simplest request', async () => {
  const isLong = ([...name]: string): boolean =>
    name.length > 5 && new Set(name).size > 1 && name.every((part) => (part.codePointAt(0) ?? 0) > 0xffff);
  const baseUrl = await startReferenceServer((request, respond) => {
    const [, name = ''] = /"name":"([^"]*)"/.exec(request.body.toString()) ?? [];
    return isLong(name) ? { status: 500, headers: {}, body: '' } : respond(request);
  });
  const result = await checkContract({ ...reference, baseUrl, operations: ['putItem'], runs: 300 });
  const found = result.failures.find(({ check }) => check === 'not_a_server_error')?.request.body?.toString() ?? '';
  const { name } = JSON.parse(found) as { name: string };
  expect(Array.from(name)).toHaveLength(6);
  expect(found).toMatch(/^\{"id":-?\d,"name":"[^"]+"\}$/);
});

test('a server that returns a different int64, which rounds to the same double, passes', async () => {
  const baseUrl = await startReferenceServer((request, respond) => {
    const answer = respond(request);
    return { ...answer, body: answer.body.replace('9223372036854775807', '9223372036854775806') };
  });
  const { failures } = await checkContract({ ...reference, baseUrl, operations: ['putItem'] });
  expect(failures).toEqual([]);
});
