import { isIP } from 'node:net';
import {
  createOptionReader,
  type GivenOption,
  type OptionKind,
  type OptionReader,
  readCommandLine,
  readRefs,
} from '@contract-first/command-line/options';
import { DEFAULTS, LEAST, MAX_INTEGER, type Scenarios } from './application.ts';
import { DELAY_FORM, MAX_SIZE, readDelay, type Delay } from './responses/preferences.ts';

/** A document, and a base path that overrides its servers. */
export type DocumentOption = { readonly file: string; readonly basePath: string | undefined };

const KINDS = new Map<string, OptionKind>([
  ...(['limit', 'seed', 'data', 'config', 'msw', 'list-size', 'delay', 'error-rate'] as const).map(
    (name) => [name, 'text'] as const,
  ),
  ...(['document', 'callback-host', 'allow-refs'] as const).map((name) => [name, 'list'] as const),
  ...(['stateless', 'callbacks', 'help'] as const).map((name) => [name, 'flag'] as const),
]);

/** The options of the command. */
export type CommandOptions = ReturnType<typeof readOptions>;

/** Parses the command line. Collects problems in a list. */
export function readOptions(args: readonly string[], problems: string[]) {
  return readGiven(readCommandLine(args, KINDS, 'document', problems), problems);
}

/** Options of a program: those of the command, in camel case. */
export type ProgramOptions = {
  readonly seed?: number;
  readonly limit?: number;
  /** The path of the file that keeps the resources. */
  readonly data?: string;
  readonly stateless?: boolean;
  readonly listSize?: number;
  /** The delay of responses in milliseconds, or a range such as `100-500`. */
  readonly delay?: number | string;
  readonly errorRate?: number | string;
  readonly callbacks?: boolean;
  readonly callbackHost?: string | readonly string[];
  /** The file with corrections of the resources. */
  readonly config?: string;
  /** The kinds of files outside its folder that the document may refer to. */
  readonly allowRefs?: readonly ('files' | 'http')[];
};

const NOT_OF_PROGRAMS = ['document', 'msw', 'help'];

/** Reads the options of a program. Collects problems in a list. */
export function readProgramOptions(options: ProgramOptions, problems: string[]) {
  const names = new Map([...KINDS.keys()].map((name) => [camelCase(name), name]));
  for (const name of NOT_OF_PROGRAMS) names.delete(name);
  const given = new Map<string, GivenOption>();
  for (const [place, value] of Object.entries(options)) {
    const name = names.get(place);
    if (name === undefined) problems.push(`${place} is not an option; there are ${[...names.keys()].join(', ')}`);
    else if (value !== false) given.set(name, { place, values: value === true ? [] : [value].flat().map(String) });
  }
  return readGiven(given, problems);
}

function camelCase(name: string): string {
  return name.replaceAll(/-(\w)/g, (_whole, letter: string) => letter.toUpperCase());
}

function readGiven(given: ReadonlyMap<string, GivenOption>, problems: string[]) {
  const reader = createOptionReader(given, {}, problems);
  const { has, textOf, textsOf, placeOf, readInteger, refuse } = reader;
  const limit = readInteger('limit', LEAST.limit, MAX_INTEGER) ?? DEFAULTS.limit;
  const scenarios: Scenarios = {
    listSize: readInteger('list-size', 0, MAX_SIZE),
    delay: readDelays(reader),
    errorRate: readShare(reader),
    callbackHosts: has('callbacks') || has('callback-host') ? readHosts(reader) : undefined,
  };
  const documents = (textsOf('document') ?? ['openapi.yaml']).map(readDocumentOption);
  for (const name of ['data', 'msw'])
    if (has(name) && documents.length > 1) refuse(`--${name} needs a single document`);
  if (has('data') && has('stateless')) refuse(`${placeOf('data')} needs the memory: leave out ${placeOf('stateless')}`);
  return {
    documents,
    allowedRefs: readRefs(reader),
    seed: readInteger('seed', LEAST.seed, MAX_INTEGER) ?? DEFAULTS.seed,
    limit: has('stateless') ? undefined : limit,
    dataPath: textOf('data'),
    configPath: textOf('config'),
    mswPath: textOf('msw'),
    scenarios,
    isHelpWanted: has('help'),
  };
}

function readHosts({ read, refuse }: OptionReader): ReadonlySet<string> {
  const hosts = read('callback-host', (text, place) => {
    if (/^[\w.-]+$/.test(text) || isIP(text) !== 0) return text.toLowerCase();
    refuse(`${place} must be a name or an address without a port, not "${text}"`);
    return undefined;
  });
  return new Set(hosts);
}

function readDelays({ read, refuse }: OptionReader): Delay | undefined {
  const [delay] = read('delay', (text, place) => {
    const found = readDelay(text);
    if (found === undefined) refuse(`${place} must be ${DELAY_FORM}, not "${text}"`);
    return found;
  });
  return delay;
}

function readShare({ read, refuse }: OptionReader): number | undefined {
  const [share] = read('error-rate', (text, place) => {
    const [, digits, percent] = /^(\d*\.?\d+)(%?)$/.exec(text) ?? [];
    const number = Number(digits) / (percent === '%' ? 100 : 1);
    if (number <= 1) return number;
    refuse(`${place} must be a share such as 0.1 or 10%, not "${text}"`);
    return undefined;
  });
  return share;
}

/** Parses `file` or `/path=file`. */
function readDocumentOption(text: string): DocumentOption {
  const [, basePath, file = text] = /^(\/[\w.~!$&'()*+,;@:%/-]*)=(.+)$/.exec(text) ?? [];
  return { file, basePath: basePath?.replace(/\/+$/, '') };
}
