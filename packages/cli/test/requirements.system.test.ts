import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { ROOT, runProcess } from '@contract-first/testing/service.ts';

test('with an unsupported version of Node, contract-first fails with one line', async () => {
  const old = join(temporaryFolder(), 'old.cjs');
  // Simulates only the version of an old Node, which is not installed.
  writeFileSync(
    old,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
     Object.defineProperty(process, 'version', { value: 'v20.20.2' });`,
  );
  expect(await runProcess('contract-first', ['generate', '--check'], { NODE_OPTIONS: `--require ${old}` })).toEqual({
    code: 2,
    stdout: '',
    stderr: 'Node.js 22.18 or later is required, this is v20.20.2\n',
  });
});

test('for shells without exec, npm finds a replacement that returns the exit code of its command', async () => {
  const exec = join(ROOT, 'node_modules/.bin/exec');
  expect(await runProcess(exec, ['node', '-e', 'console.log(process.argv[1]); process.exit(3)', 'a b'])).toEqual({
    code: 3,
    stdout: 'a b\n',
    stderr: '',
  });
});
