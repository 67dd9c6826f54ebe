import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Links the installed packages into a copy of the project. The links to the project's own packages are relative, so they are
 * those of the copy.
 *
 * @param source a folder `node_modules`
 * @param target the folder `node_modules` of the copy, which does not exist
 * @param isInstalled whether the copy has the package of a name
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
