import { checkContract } from '../src/contract-run.ts';
import { formatResult } from '../src/reports/text.ts';
import { BROKEN_SERVERS } from './support/defects.ts';
import { referenceDocument, shallowDocument } from './support/reference-document.ts';
import { startReferenceServer, TOKEN } from './support/reference-server.ts';

// The time limit of the checks would depend on the load of the machine.
const reference = { document: shallowDocument, token: TOKEN, seed: 1, runs: 5, budgetMs: 120_000 };

test.each([
  ['recursive', referenceDocument],
  ['shallow', shallowDocument],
])(
  'a server that follows its document passes every check, and no check is empty: the %s document',
  async (_name, document) => {
    const baseUrl = await startReferenceServer();
    const result = await checkContract({ ...reference, document, baseUrl, runs: 20 });
    expect(formatResult(result, { baseUrl, redactor: undefined, repeatLine: () => '' })).toMatch(
      /^contract: 6 operations, \d+ requests, 0 failures \(seed 1\)$/,
    );
  },
  150_000,
);

test.each(BROKEN_SERVERS)('a server that %s fails %s of %s', async (_name, check, operation, defect) => {
  const baseUrl = await startReferenceServer(defect);
  // The first defect of each check is looked for by all checks. Of the others, requests that only other checks judge would
  // take most of the time.
  const isFirst = BROKEN_SERVERS.find(([, other]) => other === check)?.[3] === defect;
  const checks = isFirst ? undefined : new Set([check]);
  const { failures } = await checkContract({ ...reference, baseUrl, operations: [operation], checks });
  expect(failures.map((failure) => failure.check)).toContain(check);
  expect(new Set(failures.map(({ operationId }) => operationId))).toEqual(new Set([operation]));
});

test('a server that fails for generated requests only is found too, with the simplest request', async () => {
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

test('a server that answers with another int64 that would be rounded to the same double passes', async () => {
  const baseUrl = await startReferenceServer((request, respond) => {
    const answer = respond(request);
    return { ...answer, body: answer.body.replace('9223372036854775807', '9223372036854775806') };
  });
  const { failures } = await checkContract({ ...reference, baseUrl, operations: ['putItem'] });
  expect(failures).toEqual([]);
});
