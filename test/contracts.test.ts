import { describe, expect, test } from '@jest/globals';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyProjectWithContract } from './support/project.ts';
import { ROOT, run } from './support/service.ts';

describe.each(readdirSync(join(ROOT, 'test', 'contracts')))('the contract of %s', (name) => {
  test('generates, type-checks, starts and agrees with its service', async () => {
    const project = copyProjectWithContract(name);
    rmSync(join(project, 'src', 'handlers', 'create-plant.ts'));
    const generated = await run('npm', ['run', '--silent', 'generate'], {}, project);
    expect(generated).toMatchObject({ code: 0, stderr: '' });
    expect(await run('npm', ['run', '--silent', 'typecheck'], {}, project)).toMatchObject({ code: 0, stdout: '' });
  }, 120_000);
});
