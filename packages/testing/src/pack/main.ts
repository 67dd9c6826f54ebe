import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';

// `npm run pack -w packages/testing` compiles the packages, since Node does not strip types under node_modules, and
// writes tarballs to packed/. The manifests refer to TypeScript files in the repository, and to JavaScript and
// declarations in dist/ in the tarballs.
type Manifest = { readonly name: string } & Readonly<Record<string, unknown>>;

const OUTPUT = 'packed';
const CONFIG = join(import.meta.dirname, 'compile.json');
const { GITHUB_REPOSITORY: repository } = process.env;
const [, AUTHOR] = /^Copyright \(c\) \d+ (.*)$/m.exec(readFileSync('LICENSE', 'utf8')) ?? [];
const SOURCE = /^\.\/src\/(.*)\.ts$/;
// The docs page. A dependency on its package would bring telemetry with an install script.
const SWAGGER_UI = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

const folders = readdirSync('packages')
  .filter((name) => name !== 'testing')
  .map((name) => join('packages', name));
// The source maps contain paths relative to this folder.
const work = join(OUTPUT, 'work');
rmSync(OUTPUT, { recursive: true, force: true });
mkdirSync(work, { recursive: true });
try {
  execFileSync('tsc', ['--project', CONFIG, '--outDir', join(work, 'compiled')], { stdio: 'inherit' });
  execFileSync('npm', ['pack', '--silent', '--pack-destination', OUTPUT, ...folders.map(stage)], { stdio: 'inherit' });
} finally {
  rmSync(work, { recursive: true });
}

/** Stages the files of a package in a folder. Returns the folder. */
function stage(folder: string): string {
  const name = basename(folder);
  const staged = join(work, name);
  // Copies files that are not compiled: pages, templates and scripts.
  mkdirSync(staged);
  if (existsSync(join(folder, 'src'))) {
    cpSync(join(folder, 'src'), join(staged, 'dist'), {
      recursive: true,
      filter: (path) => extname(path) !== '.ts' || path.includes('/templates/'),
    });
    cpSync(join(work, 'compiled', name, 'src'), join(staged, 'dist'), { recursive: true });
  }
  if (name === 'engine')
    for (const file of SWAGGER_UI)
      cpSync(join('node_modules/swagger-ui-dist', file), join(staged, 'dist/docs/swagger-ui', file));
  for (const file of readdirSync(folder).filter((file) => /\.(?:js|d\.ts|md|schema\.json)$/.test(file)))
    cpSync(join(folder, file), join(staged, file));
  cpSync('LICENSE', join(staged, 'LICENSE'));
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest; // Validated by npm.
  writeFileSync(join(staged, 'package.json'), JSON.stringify(toPacked(manifest, folder), null, 2));
  return staged;
}

/** Returns the manifest of a folder that refers to the compiled files. */
function toPacked(
  { exports, imports, devDependencies: _, scripts: __, ...manifest }: Manifest,
  folder: string,
): object {
  const map = (entries: unknown, to: (file: string) => unknown): object =>
    Object.fromEntries(Object.entries(entries as object).map(([key, file]) => [key, to(String(file))]));
  const compiled = (file: string): string =>
    file.replace(SOURCE, './dist/$1.js').replace(/^swagger-ui-dist/, './dist/docs/swagger-ui');
  const withTypes = (file: string): string | object =>
    SOURCE.test(file) ? { types: file.replace(SOURCE, './dist/$1.d.ts'), default: compiled(file) } : file;
  return {
    ...manifest,
    author: AUTHOR,
    engines: { node: '>=22.18' },
    files: ['*.js', '*.d.ts', '*.json', 'dist'],
    // The repository is required for the provenance of a release.
    ...(repository !== undefined && {
      homepage: `https://github.com/${repository}/tree/main/${folder}#readme`,
      bugs: `https://github.com/${repository}/issues`,
      repository: { type: 'git', url: `git+https://github.com/${repository}.git`, directory: folder },
    }),
    ...(exports !== undefined && { exports: map(exports, withTypes) }),
    ...(imports !== undefined && { imports: map(imports, compiled) }),
  };
}
