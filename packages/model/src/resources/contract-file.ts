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

/** The options that the file may have, with their kinds. */
export const FILE_OPTIONS: readonly (readonly [name: string, kind: OptionKind])[] = [
  ...(['url', 'document', 'runs', 'seed', 'workers', 'rate', 'budget'] as const).map((name) => [name, 'text'] as const),
  ...(['token', 'token-command', 'client', 'other-token'] as const).map((name) => [name, 'text'] as const),
  ['credential', 'pairs'],
  ['other-credential', 'pairs'],
  ['baseline', 'text'],
  ['hooks', 'text'],
  ['max-response-time', 'text'],
  ['max-response-size', 'text'],
  ...(
    ['header', 'operation', 'tag', 'checks', 'exclude-checks', 'expect', 'value', 'report', 'allow-refs'] as const
  ).map((name) => [name, 'list'] as const),
  ['shared', 'list'],
  ['allow-incomplete', 'flag'],
  ['coverage', 'flag'],
  ['resources', 'map'],
];

/** The options whose values are run as code. */
export const CODE_OPTIONS: readonly string[] = ['hooks', 'token-command'];

/**
 * Reads the options in a file; adds mistakes to a list.
 *
 * @param path by default, that of a file that there need not be
 */
export function readContractFile(path: string | undefined, problems: string[]): ReadonlyMap<string, GivenOption> {
  return readOptionsFile(path ?? OPTIONS_FILE, path === undefined, new Map(FILE_OPTIONS), problems);
}

/**
 * Reads the corrections of resources from a file with options.
 *
 * @param path by default, that of a file that there need not be
 * @throws {CannotCheck} with all mistakes
 */
export function readFileCorrections(path: string | undefined): Corrections {
  const problems: string[] = [];
  const corrections = readCorrections(createOptionReader(readContractFile(path, problems), {}, problems));
  if (problems.length > 0) throw new CannotCheck(problems.join('\n'));
  return corrections;
}

/** Reads corrections of resources, by their paths. */
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
