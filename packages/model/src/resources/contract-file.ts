import {
  createOptionReader,
  type GivenOption,
  type OptionKind,
  type OptionReader,
  readOptionsFile,
} from '@contract-first/command-line/options';
import type { Correction, Corrections } from './resource-paths.ts';
import { CannotCheck } from '../values/oracle.ts';

const OPTIONS_FILE = '.contract.yaml';

/** The options of the options file, with their kinds. */
export const FILE_OPTIONS: readonly (readonly [name: string, kind: OptionKind])[] = [
  ...(['url', 'document', 'runs', 'seed', 'workers', 'rate', 'budget'] as const).map((name) => [name, 'text'] as const),
  ...(['token', 'token-command', 'client', 'other-token'] as const).map((name) => [name, 'text'] as const),
  ['credential', 'pairs'],
  ['baseline', 'text'],
  ['hooks', 'text'],
  ['max-response-time', 'text'],
  ['max-response-size', 'text'],
  ...(
    [
      'header',
      'operation',
      'tag',
      'exclude',
      'checks',
      'exclude-checks',
      'expect',
      'value',
      'report',
      'allow-refs',
    ] as const
  ).map((name) => [name, 'list'] as const),
  ['shared', 'list'],
  ['allow-incomplete', 'flag'],
  ['resources', 'map'],
  ['sign-in', 'map'],
];

/** The options whose values are executed as code. */
export const CODE_OPTIONS: readonly string[] = ['hooks', 'token-command'];

/**
 * Reads an options file and collects its problems.
 *
 * @param path by default, the path of an optional file
 */
export function readContractFile(path: string | undefined, problems: string[]): ReadonlyMap<string, GivenOption> {
  return readOptionsFile(path ?? OPTIONS_FILE, path === undefined, new Map(FILE_OPTIONS), problems);
}

/**
 * Reads the resource corrections from an options file.
 *
 * @param path by default, the path of an optional file
 * @throws {CannotCheck} with all problems
 */
export function readFileCorrections(path: string | undefined): Corrections {
  const problems: string[] = [];
  const corrections = readCorrections(createOptionReader(readContractFile(path, problems), {}, problems));
  if (problems.length > 0) throw new CannotCheck(problems.join('\n'));
  return corrections;
}

/** Reads the resource corrections, by path. */
export function readCorrections({ membersOf, placeOf, refuse }: OptionReader): Corrections {
  const entries = [...membersOf('resources')].flatMap(([path, value]): [string, Correction | false][] => {
    if (value === false || isCorrection(value)) return [[path, value]];
    const example = '{ collection: /search, id: trip_id }';
    refuse(`${placeOf('resources')}: ${path} must have a collection, an id, or both, such as ${example}, or be false`);
    return [];
  });
  return new Map(entries);
}

function isCorrection(value: unknown): value is Correction {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, text]) => ['collection', 'id'].includes(name) && typeof text === 'string');
}
