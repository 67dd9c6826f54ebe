import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { INSTALL_OPTIONS, installedModules, packedFolder } from '@contract-first/testing/packed.ts';
import { runProcess, startServiceProcess } from '@contract-first/testing/service.ts';
import { VERSION } from '../../command-line/src/terminal/version.ts';

const LATER = '99.0.0';

/** Packs a later version with a changed banner. Returns the folder of the tarballs. */
async function packLaterVersion(): Promise<string> {
  const packed = await packedFolder();
  const folder = temporaryFolder();
  for (const name of readdirSync(packed)) {
    const work = temporaryFolder();
    execFileSync('tar', ['-xzf', join(packed, name)], { cwd: work });
    edit(join(work, 'package/package.json'), (text) => text.replaceAll(`": "${VERSION}"`, `": "${LATER}"`));
    const banner = join(work, 'package/dist/process/run.js');
    if (existsSync(banner)) edit(banner, (text) => text.replace("'Docs page'", "'Documentation'"));
    execFileSync('tar', ['-czf', join(folder, name.replace(VERSION, LATER)), 'package'], { cwd: work });
  }
  return folder;
}

function edit(path: string, change: (text: string) => string): void {
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

test('npm install of a later version updates a project that contract-first init made', async () => {
  const project = join(temporaryFolder(), 'project');
  // Hard links are fast. npm replaces the files of packages, but writes to the project's files in place.
  execFileSync('cp', ['-al', join(await installedModules(), '..'), project]);
  for (const name of ['package.json', 'package-lock.json', 'generated'])
    execFileSync('cp', ['-r', '--remove-destination', join(await installedModules(), '..', name), project]);
  const banner = async (): Promise<string> => {
    const service = await startServiceProcess({}, ['node', 'src/main.ts'], project);
    service.process.kill('SIGTERM');
    return (await service.outcome).stdout;
  };
  expect(await banner()).toContain('Docs page ');

  const packed = await packLaterVersion();
  const later = readdirSync(packed).filter((name) => !name.startsWith('create-'));
  for (const name of later) cpSync(join(packed, name), join(project, 'vendor', name));
  execFileSync('npm', ['install', ...INSTALL_OPTIONS, ...later.map((name) => `./vendor/${name}`)], { cwd: project });

  expect(await banner()).toContain('Documentation ');
  const check = ['run', '--silent', 'generate', '--', '--check'];
  const stale = await runProcess('npm', check, {}, project);
  expect(stale).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `generated/contract.json is stale: contract-first ${VERSION} wrote it, this is ${LATER}; run npm run generate\n`,
    ),
  });
  await runProcess('npm', ['run', '--silent', 'generate'], {}, project);
  expect(await runProcess('npm', check, {}, project)).toMatchObject({ code: 0, stderr: '' });
  expect(await runProcess('npm', ['run', '--silent', 'typecheck'], {}, project)).toMatchObject({ code: 0, stdout: '' });
}, 240_000);
