import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * Links the installed packages into a copy of the project. The links to the project's own packages are relative and
 * refer to the copy.
 *
 * @param source a folder `node_modules`
 * @param target the folder `node_modules` of the copy, which does not exist yet
 * @param isInstalled returns whether to link the package with a name
 */
export function linkModules(source: string, target: string, isInstalled = (_name: string): boolean => true): void {
  const names = readdirSync(source).flatMap((name) =>
    /^(?:@|\.bin$)/.test(name) ? readdirSync(join(source, name)).map((member) => `${name}/${member}`) : [name],
  );
  const own = new Set(names.filter((name) => !name.startsWith('.bin/') && isLink(join(source, name))));
  const isOwn = (name: string): boolean => own.has(name) || own.has(name.replace('.bin/', ''));
  for (const name of names.filter((name) => name.startsWith('.bin/') || isInstalled(name))) {
    const path = join(source, name);
    mkdirSync(dirname(join(target, name)), { recursive: true });
    symlinkSync(isOwn(name) ? readlinkSync(path) : path, join(target, name));
  }
}

function isLink(path: string): boolean {
  return lstatSync(path).isSymbolicLink();
}

/**
 * Copies the build info of a project's last type check to a copy of the project, so that its next check is incremental.
 *
 * @param linked the folders of the project that the copy links to, where TypeScript finds their files
 */
export function copyBuildInfo(source: string, target: string, linked: readonly string[]): void {
  const results = join(source, '.tsbuildinfo');
  if (!existsSync(results)) return;
  const inLinked = new RegExp(`"\\./(?=(?:${linked.join('|')})/)`, 'g');
  // TypeScript checks all files again if a file with global declarations is missing, such as test files in the copy.
  const copied = readFileSync(results, 'utf8')
    .replaceAll(inLinked, `"${relative(target, source)}/`)
    .replaceAll('"affectsGlobalScope":true,', '');
  writeFileSync(join(target, '.tsbuildinfo'), copied);
}
