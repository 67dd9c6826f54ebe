import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packedFolder } from '@contract-first/testing/packed.ts';
import { copyProject } from '@contract-first/testing/project.ts';
import { ROOT, runProcess } from '@contract-first/testing/service.ts';

type Step = { readonly name?: string; readonly run?: string };
type Workflow = { readonly jobs: { readonly publish: { readonly steps: readonly Step[] } } };

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const { version: VERSION } = JSON.parse(read('packages/cli/package.json')) as { version: string };
const { version: storeVersion } = JSON.parse(read('package.json')) as { version: string };
const { steps } = (parse(read('.github/workflows/release.yaml')) as Workflow).jobs.publish;
const commandsOf = (start: string): string => steps.find(({ name }) => name?.startsWith(start))?.run ?? '';
/** Runs a workflow step like the GitHub runner. */
const runStep = (start: string, env: Readonly<Record<string, string>>, folder: string) =>
  runProcess('bash', ['-e', '-o', 'pipefail', '-c', commandsOf(start)], env, folder);

test.each([
  [`v${VERSION}`, 0, ''],
  ['v0.0.1', 1, `tag v0.0.1, but the packages have version ${VERSION}\n`],
])('a release of the tag %s ends with code %i', async (tag, code, stdout) => {
  const { folder } = copyProject(ROOT, ['packages/cli/package.json', 'CHANGELOG.md']);
  expect(await runStep('The tag', { GITHUB_REF_NAME: tag }, folder)).toEqual({ code, stdout, stderr: '' });
});

test('a release of a version that is missing in CHANGELOG.md fails', async () => {
  const { folder } = copyProject(ROOT, ['packages/cli/package.json', 'CHANGELOG.md']);
  writeFileSync(join(folder, 'CHANGELOG.md'), '# Changelog\n\n## 0.0.1\n');
  const stdout = `CHANGELOG.md has no entry for ${VERSION}\n`;
  expect(await runStep('The tag', { GITHUB_REF_NAME: `v${VERSION}` }, folder)).toEqual({ code: 1, stdout, stderr: '' });
});

test('a release publishes every package after its dependencies', async () => {
  await packedFolder();
  const env = { GITHUB_REF_NAME: `v${VERSION}`, NPM_CONFIG_DRY_RUN: 'true' };
  const { code, stdout } = await runStep('Publish', env, ROOT);
  const below = ['contract', 'documents', 'database', 'engine', 'command-line', 'model'];
  const names = [...below, 'generate', 'check', 'mock', 'diff'].map((name) => `+ @contract-first/${name}@${VERSION}`);
  expect({ code, published: stdout.trimEnd().split('\n') }).toEqual({
    code: 0,
    published: [...names, `+ contract-first@${VERSION}`, `+ create-contract-first@${VERSION}`],
  });
});

test('npm run set-version -w packages/testing sets the version of all packages, and dependencies on them', async () => {
  const manifests = ['packages/cli/package.json', 'examples/garden/package.json', 'package.json'];
  const { folder, read: readCopy } = copyProject(ROOT, manifests);
  const { code } = await runProcess(
    'node',
    [join(ROOT, 'packages/testing/src/pack/set-version.ts'), '99.0.0'],
    {},
    folder,
  );
  expect(code).toBe(0);
  expect(JSON.parse(readCopy('packages/cli/package.json'))).toMatchObject({
    version: '99.0.0',
    dependencies: { '@contract-first/diff': '99.0.0', '@contract-first/command-line': '99.0.0' },
  });
  expect(JSON.parse(readCopy('examples/garden/package.json'))).toMatchObject({
    version: '1.0.0',
    dependencies: { '@contract-first/engine': '99.0.0' },
  });
  expect(JSON.parse(readCopy('package.json'))).toMatchObject({
    version: storeVersion,
    devDependencies: { 'contract-first': '99.0.0' },
  });
});
