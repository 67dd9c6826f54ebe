import { join, resolve, sep } from 'node:path';
import { describeSystemError } from '@contract-first/contract';
import type { Declared } from '@contract-first/documents';
import { readIfPresent } from '@contract-first/command-line/files';
import { findObject } from './object-literals.ts';

/** The codecs and formats that an application declares in modules beside `contract.ts`. */
export type DeclaredModules = Declared & {
  /** The import specifier of the formats module in generated modules, if any. */
  readonly formatsModule: string | undefined;
  /** Modules whose names cannot be read without type checking. */
  readonly problems: readonly string[];
  /** The absolute paths of the modules, which may not exist. */
  readonly sources: readonly string[];
};

/** Reads the names in an application's `codecs.ts` and `formats.ts` without running them. */
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
      problems.push(`${pathOf(kind)} cannot be read: ${describeSystemError(error)}`);
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
