import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from './app.ts';
import { ROOT } from './service.ts';

/** A copy of the project, with the dependencies of this one, to be changed at will. */
export function copyProject(): string {
  const project = temporaryFolder();
  for (const name of ['src', 'scripts', 'generated', 'openapi.yaml', 'package.json', 'tsconfig.json']) {
    cpSync(join(ROOT, name), join(project, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  return project;
}

/** A copy of the project with the contract and the handlers of `test/contracts/<name>` in the place of its own. */
export function copyProjectWithContract(name: string): string {
  const project = copyProject();
  const contract = join(ROOT, 'test', 'contracts', name);
  cpSync(contract, project, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  cpSync(join(contract, 'handlers.ts'), join(project, 'src', 'handlers', 'handlers.ts'));
  return project;
}
