import { describe, expect, test } from '@jest/globals';
import { checkContract } from '../../scripts/check/contract-run.ts';
import { SERVERS_WITH_WRONG_LIMITS } from '../support/limit-defects.ts';
import { limitedDocument, limitedServer } from '../support/limited-server.ts';
import { startReferenceServer } from '../support/reference-server.ts';

const limited = { document: limitedDocument, seed: 1, runs: 5, budgetMs: 120_000 };

test('a server with the limits of its document passes every check', async () => {
  const { failures, notes } = await checkContract({ ...limited, baseUrl: await startReferenceServer(limitedServer()) });
  expect({ failures, notes }).toEqual({ failures: [], notes: [] });
});

describe('a server that', () => {
  test.each(SERVERS_WITH_WRONG_LIMITS)('%s fails %s of %s', async (_name, check, operation, defect) => {
    const baseUrl = await startReferenceServer(defect);
    const { failures } = await checkContract({ ...limited, baseUrl, operations: [operation] });
    expect(failures.map((failure) => [failure.check, failure.operationId])).toEqual([[check, operation]]);
  });
});
