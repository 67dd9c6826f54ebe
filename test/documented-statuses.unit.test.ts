import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contract } from '../src/plants/contract.ts';

test.each(Object.values(contract.operations))(
  'test/operations/$operationId.test.ts has tests for every documented status, whose names begin with it',
  ({ operationId, responses }) => {
    const text = readFileSync(join(import.meta.dirname, 'operations', `${operationId}.test.ts`), 'utf8');
    const tested = Object.keys(responses).filter((status) => text.includes(`'${status}: `));
    expect(tested).toEqual(Object.keys(responses));
  },
);
