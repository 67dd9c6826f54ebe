import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describeSystemError } from '@contract-first/contract';
import { readIfPresent } from '@contract-first/command-line/files';
import { printError, refuse } from '@contract-first/command-line/terminal';
import { mergeManifest, withoutTests, type Manifest } from './manifest.ts';

/** The npm project in a folder. */
type ExistingProject = {
  readonly manifest: Manifest;
  /** The indentation of package.json. */
  readonly indent: string;
  /** Whether the project has tests or a Jest configuration. */
  readonly hasTests: boolean;
};

// The placeholder from `npm init`.
const NO_TESTS = 'no test specified';

/**
 * Reads the npm project in the folder of a new service. Exits with an error if the service cannot be added.
 *
 * @param folder the folder, which may not exist yet
 * @returns `undefined` if there is no package.json
 */
export function readExistingProject(folder: string): ExistingProject | undefined {
  if (!existsSync(folder)) return undefined;
  if (!statSync(folder).isDirectory()) return refuse(`${folder} is not a folder`);
  const contract = join(folder, 'generated/contract.json');
  if (existsSync(contract))
    return refuse(`${contract} exists: npm run generate updates the project of an earlier init`);
  const path = join(folder, 'package.json');
  const text = readIfPresent(path)?.replace(/^\ufeff/, '');
  if (text === undefined) return undefined;
  const manifest = parse(text, path);
  if (manifest.type !== 'module')
    return refuse(
      `${path} must have "type": "module", since the service consists of ES modules; or name another folder`,
    );
  const hasScript = manifest.scripts?.['test'] !== undefined && !manifest.scripts['test'].includes(NO_TESTS);
  const hasJest = 'jest' in manifest || readdirSync(folder).some((name) => name.startsWith('jest.config.'));
  return { manifest, indent: /^[\t ]+/m.exec(text)?.[0] ?? '  ', hasTests: hasScript || hasJest };
}

/**
 * Removes rendered files that conflict with an existing project. Returns its manifest with the missing entries added.
 */
export function addToProject({ manifest, hasTests }: ExistingProject, added: Manifest, rendered: string): Manifest {
  // .npmrc and .yarnrc.yml would affect the installation of the whole project.
  for (const file of ['.npmrc', '.yarnrc.yml', 'package.json', ...(hasTests ? ['test', 'jest.config.js'] : [])])
    rmSync(join(rendered, file), { recursive: true, force: true });
  if (hasTests) printError('test: left out, since the project has tests of its own');
  const { scripts: { test, ...scripts } = {}, ...rest } = manifest;
  // Without tests, the script `test` is the placeholder of npm init.
  const own = hasTests && test !== undefined ? manifest : { ...rest, scripts };
  const wanted = hasTests ? withoutTests(added) : added;
  const kept = Object.keys(own.scripts ?? {}).filter((name) => wanted.scripts?.[name] !== undefined);
  const note = kept.length === 0 ? '' : `, kept its scripts ${kept.join(', ')}`;
  printError(`package.json: added the missing entries${note}`);
  return mergeManifest(own, wanted);
}

function parse(text: string, path: string): Manifest {
  try {
    const manifest = JSON.parse(text) as Manifest | null; // npm validates the members.
    if (typeof manifest === 'object' && manifest !== null) return manifest;
  } catch (error) {
    return refuse(`${path} cannot be read: ${describeSystemError(error)}`);
  }
  return refuse(`${path} must be an object`);
}
