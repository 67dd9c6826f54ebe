import { CHECK_NAMES, isStateCheck } from '../src/judgement/checks.ts';
import { checkContract } from '../src/contract-run.ts';
import { answerJson } from './support/reference-server.ts';
import { faultyDocument, startFaultyService } from './support/faulty-service.ts';
import { COLLECTED_DEFECTS, SEEDED_FAULTS } from './support/published-faults.ts';

const SEQUENCES = CHECK_NAMES.filter(isStateCheck);
const home = { document: faultyDocument, seed: 1, runs: 5, budgetMs: 120_000 };

test('a service without a fault passes every check', async () => {
  const { failures } = await checkContract({ ...home, baseUrl: await startFaultyService(), runs: 20 });
  expect(failures).toEqual([]);
});

test('a single resource is not judged if reads ignore writes and the server may be stateless', async () => {
  const baseUrl = await startFaultyService({
    answer: ({ method, url }) =>
      method === 'GET' && url === '/thermostat' ? answerJson(200, { loud: true }) : undefined,
  });
  const operations = ['getThermostat', 'putThermostat'];
  const { failures, notes } = await checkContract({ ...home, baseUrl, operations, checks: new Set(SEQUENCES) });
  expect({ failures, notes }).toEqual({
    failures: [],
    notes: [
      'sequences of requests were not checked for 1 resource: reads do not return the written values (putThermostat)',
    ],
  });
});

test.each([...SEEDED_FAULTS, ...COLLECTED_DEFECTS])(
  'a service that %s fails %s of %s',
  async (_name, check, operation, fault) => {
    const baseUrl = await startFaultyService(fault);
    const { failures } = await checkContract({ ...home, baseUrl, checks: new Set([check, ...SEQUENCES]) });
    expect(failures.map((failure) => [failure.check, failure.operationId])).toContainEqual([check, operation]);
  },
);
