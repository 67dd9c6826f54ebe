import { describe, expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { copyProjectWithContract } from '../support/project.ts';
import { rounds } from '../support/rounds.ts';
import { ROOT, run } from '../support/service.ts';

describe.each(readdirSync(join(ROOT, 'test', 'contracts')))('the contract of %s', (name) => {
  test('generates, type-checks, starts and agrees with its service', async () => {
    const { folder } = copyProjectWithContract(name);
    const generated = await run('node', ['scripts/generate.ts'], {}, folder);
    expect(generated).toMatchObject({ code: 0, stderr: '' });
    expect(await run('tsc', [], {}, folder)).toMatchObject({ code: 0, stdout: '' });
    const runs = String(rounds(10, 30));
    const checked = await run('node', ['scripts/contract-check.ts', '--runs', runs, '--seed', '1'], {}, folder);
    expect(checked).toMatchObject({ code: 0 });
  }, 120_000);
});
