import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { INSTALL_OPTIONS, installedModules } from '@contract-first/testing/packed.ts';
import { copyProjectWithPackages } from '@contract-first/testing/project.ts';
import { ROOT, run, startService } from '@contract-first/testing/service.ts';
import { VERSION } from '../../command-line/src/terminal/version.ts';

const LATER = '99.0.0';

/** Packs the packages as a later version, whose banner has another word. Returns the folder of the tarballs. */
function packLaterVersion(): string {
  const { folder, read, write } = copyProjectWithPackages(() => true);
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  execFileSync('npm', ['run', '--silent', 'set-version', '-w', 'packages/testing', LATER], { cwd: folder });
  const banner = 'packages/engine/src/process/run.ts';
  write(banner, read(banner).replace("'Docs page'", "'Documentation'"));
  execFileSync('npm', ['run', '--silent', 'pack', '-w', 'packages/testing'], { cwd: folder });
  return join(folder, 'packed');
}

test('npm install of a later version updates a project that contract-first init made', async () => {
  const project = join(temporaryFolder(), 'project');
  // Links take no time; npm replaces the files of packages, but writes into those of the project.
  execFileSync('cp', ['-al', join(await installedModules(), '..'), project]);
  for (const name of ['package.json', 'package-lock.json', 'generated'])
    execFileSync('cp', ['-r', '--remove-destination', join(await installedModules(), '..', name), project]);
  const banner = async (): Promise<string> => {
    const service = await startService({}, ['node', 'src/main.ts'], project);
    service.process.kill('SIGTERM');
    return (await service.outcome).stdout;
  };
  expect(await banner()).toContain('Docs page ');

  const packed = packLaterVersion();
  const later = readdirSync(packed).filter((name) => !name.startsWith('create-'));
  for (const name of later) cpSync(join(packed, name), join(project, 'vendor', name));
  execFileSync('npm', ['install', ...INSTALL_OPTIONS, ...later.map((name) => `./vendor/${name}`)], { cwd: project });

  expect(await banner()).toContain('Documentation ');
  const check = ['run', '--silent', 'generate', '--', '--check'];
  const stale = await run('npm', check, {}, project);
  expect(stale).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `generated/contract.json is stale: contract-first ${VERSION} wrote it, this is ${LATER}; run npm run generate\n`,
    ),
  });
  await run('npm', ['run', '--silent', 'generate'], {}, project);
  expect(await run('npm', check, {}, project)).toMatchObject({ code: 0, stderr: '' });
  expect(await run('npm', ['run', '--silent', 'typecheck'], {}, project)).toMatchObject({ code: 0, stdout: '' });
}, 240_000);
