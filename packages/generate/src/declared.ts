import { join, resolve, sep } from 'node:path';
import type { Declared } from '@contract-first/documents';
import { readIfPresent } from '@contract-first/command-line/files';
import { findObject } from './handlers.ts';

/** The declarations of an application, and the modules beside `contract.ts` that have them. */
export type DeclaredModules = Declared & {
  /** The module with the formats, as generated modules import it; `undefined` without one. */
  readonly formatsModule: string | undefined;
  /** Modules whose names only the type checker knows. */
  readonly problems: readonly string[];
  /** The absolute paths of the modules, which need not exist. */
  readonly sources: readonly string[];
};

/** Reads the names in `codecs.ts` and `formats.ts` of the folder of an application, without running them. */
export function readDeclared(folder: string): DeclaredModules {
  const problems: string[] = [];
  const pathOf = (kind: string): string => join(folder, `${kind}.ts`);
  const namesIn = (kind: string): readonly string[] | undefined => {
    try {
      const source = readIfPresent(pathOf(kind));
      if (source === undefined) return undefined;
      const names = findObject(source, kind)?.names;
      if (names !== undefined) return names;
      problems.push(`cannot read the names of ${kind} from ${pathOf(kind)}: write an object literal without a spread`);
    } catch (error) {
      problems.push(`${pathOf(kind)} cannot be read: ${(error as Error).message}`);
    }
    return undefined;
  };
  const codecs = namesIn('codecs') ?? [];
  const formats = namesIn('formats');
  return {
    codecs,
    formats: formats ?? [],
    formatsModule: formats && `../${pathOf('formats').split(sep).join('/')}`,
    problems,
    sources: [resolve(pathOf('codecs')), resolve(pathOf('formats'))],
  };
}
