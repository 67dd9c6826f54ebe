import { run } from '../support/plant-store.ts';

test('standard output that cannot be written: scripts/lint-contract.ts exits 1, with one line', async () => {
  expect(await run('sh', ['-c', 'node scripts/lint-contract.ts >/dev/full'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'the output cannot be written (ENOSPC)\n',
  });
});
