import { isIP } from 'node:net';
import {
  ALLOW_REFS_OPTION,
  type CommandDeclaration,
  CONFIG,
  createOptionReader,
  type ParsedCommandLine,
  type GivenOption,
  isNamed,
  type OptionDeclaration,
  type OptionReader,
  PORT,
  QUIET,
  readOptionsFile,
  readRefs,
  readTls,
  TLS_OPTIONS,
} from '@contract-first/command-line/options';
import { CORRECTIONS, readCorrections } from '@contract-first/model/resources';
import { readHar } from '@contract-first/model/requests';
import { CannotCheck } from '@contract-first/model/values';
import { forward } from './forward.ts';
import { replay, type ResponseSource } from './recorded.ts';
import { DEFAULTS, MINIMUMS, MAX_INTEGER, type Scenarios } from './application.ts';
import { DELAY_FORM, MAX_SIZE, readDelay, type Delay } from './responses/preferences.ts';

/** A document, and a base path that overrides its servers. */
export type DocumentOption = { readonly file: string; readonly basePath: string | undefined };

const option = (
  name: string,
  kind: OptionDeclaration['kind'],
  value: string | undefined,
  text: string,
): OptionDeclaration => ({ name, kind, text, ...(value !== undefined && { value }) });

/** The command `mock`. */
export const MOCK: CommandDeclaration = {
  name: 'mock',
  description:
    'Serves an OpenAPI document without any handler: the engine with generated responses. It remembers the resources that requests create, change and delete, until it ends. Several documents are served below the paths of their servers, or below the path that is named.',
  arguments: [{ name: 'document', isRepeatable: true }],
  options: [
    { ...option('document', 'list', undefined, 'the documents (default: openapi.yaml)'), where: 'file' },
    PORT,
    option('data', 'text', 'FILE', 'keep the resources in this JSON file, also until the next start'),
    option('stateless', 'flag', undefined, 'remember nothing: the same request always gets the same response'),
    option(
      'limit',
      'text',
      'N',
      'remember at most this many resources and 50 MB, and forget the oldest resources beyond (default: 10000)',
    ),
    {
      ...option(
        'msw',
        'text',
        'FILE',
        'write the responses of --stateless as handlers for Mock Service Worker, and end',
      ),
      where: 'line',
    },
    option('seed', 'text', 'N', 'seed of the generated values and of the failing requests (default: 1)'),
    option('list-size', 'text', 'N', 'the number of items of generated lists, within the limits of their schema'),
    option('delay', 'text', 'MS', 'respond after this time, or after a random time in a range such as 100-500'),
    option('error-rate', 'text', 'N', 'fail this share of the valid requests, such as 0.1 or 10%, with a 5xx'),
    option('replay', 'list', 'FILE', 'answer the requests of this HTTP archive with the recorded responses'),
    option(
      'proxy',
      'text',
      'URL',
      'send requests to this service, and answer only what it does not have (404, 405, 501)',
    ),
    ...TLS_OPTIONS,
    option('callbacks', 'flag', undefined, 'send the callbacks of the document, to this machine only'),
    option('callback-host', 'list', 'HOST', 'send them to this host, too'),
    CORRECTIONS,
    ALLOW_REFS_OPTION,
    { ...QUIET, text: 'print no list of resources' },
    CONFIG,
  ],
  examples: [
    ['contract-first mock openapi.yaml', 'Serve a document on port 3000'],
    ['contract-first mock openapi.yaml --port 4000 --data pets.json', 'Keep the resources in a file'],
    ['contract-first mock /pets=pets.yaml /shops=shops.yaml', 'Serve two documents'],
    [
      'contract-first mock openapi.yaml --proxy http://127.0.0.1:8080',
      'Mock the operations that a service does not have yet',
    ],
    [
      'contract-first mock openapi.yaml --error-rate 10% --delay 100-500',
      'Test how a client handles a slow, failing service',
    ],
  ],
  notes: [
    'The environment variable HOST is the address to listen on, by default this machine only. Other variables are those\nof a service, such as API_TOKENS and CORS_ORIGINS.',
  ],
  section: 'mock',
  isService: true,
};

const MAX_PORT = 65_535;

/** The options of the command. */
export type CommandOptions = ReturnType<typeof readMockOptions>;

/**
 * Reads the options of the command line and of the options file. The command line takes precedence.
 *
 * @throws {CannotCheck} with all problems
 */
export function readMockOptions({ options }: ParsedCommandLine) {
  return readGiven(options, []);
}

/** Options of a program: the options of the command, in camel case. */
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
  /** The paths of HTTP archives. */
  readonly replay?: string | readonly string[];
  /** The URL of a service, which gets the requests first. The mock answers only requests for which the service has no operation. */
  readonly proxy?: string;
  /** The path of an authority's certificates, which the service of `proxy` may have, too. */
  readonly ca?: string;
  /** The path of the certificate for the service of `proxy`. */
  readonly cert?: string;
  readonly key?: string;
  readonly insecure?: boolean;
  readonly callbacks?: boolean;
  readonly callbackHost?: string | readonly string[];
  /** The file with corrections of the resources. */
  readonly config?: string;
  /** The kinds of files outside its folder that the document may refer to. */
  readonly allowRefs?: readonly ('files' | 'http')[];
};

const NOT_OF_PROGRAMS = ['msw', 'port', 'quiet'];

/** Reads the options of a program. @throws {CannotCheck} with all problems */
export function readProgramOptions(options: ProgramOptions) {
  const problems: string[] = [];
  const ofPrograms = MOCK.options.filter((one) => isNamed(one) && !NOT_OF_PROGRAMS.includes(one.name));
  const names = new Map(ofPrograms.map(({ name }) => [camelCase(name), name]));
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
  const inFile = readOptionsFile(given.get('config')?.values[0], MOCK, problems);
  const reader = createOptionReader(new Map([...inFile, ...given]), {}, problems);
  const { has, textOf, textsOf, placeOf, readInteger, refuse } = reader;
  const limit = readInteger('limit', MINIMUMS.limit, MAX_INTEGER) ?? DEFAULTS.limit;
  const scenarios: Scenarios = {
    listSize: readInteger('list-size', 0, MAX_SIZE),
    delay: readDelays(reader),
    errorRate: readShare(reader),
    sources: readSources(reader),
    callbackHosts: has('callbacks') || has('callback-host') ? readHosts(reader) : undefined,
  };
  const documents = (textsOf('document') ?? ['openapi.yaml']).map(readDocumentOption);
  for (const name of ['data', 'msw'])
    if (has(name) && documents.length > 1) refuse(`--${name} needs a single document`);
  if (has('data') && has('stateless')) refuse(`${placeOf('data')} needs the memory: leave out ${placeOf('stateless')}`);
  const options = {
    documents,
    port: readInteger('port', 0, MAX_PORT),
    allowedRefs: readRefs(reader),
    seed: readInteger('seed', MINIMUMS.seed, MAX_INTEGER) ?? DEFAULTS.seed,
    limit: has('stateless') ? undefined : limit,
    dataPath: textOf('data'),
    corrections: readCorrections(reader),
    mswPath: textOf('msw'),
    scenarios,
    isQuiet: has('quiet'),
  };
  if (problems.length > 0) throw new CannotCheck(problems.join('\n'));
  return options;
}

/** Reads the recorded responses and the service that answer before the mock. */
function readSources(reader: OptionReader): readonly ResponseSource[] {
  const { read, refuse } = reader;
  const archives = read('replay', (path, place) => {
    try {
      return readHar(path);
    } catch (error) {
      if (!(error instanceof CannotCheck)) throw error;
      refuse(`${place}: ${error.message}`);
      return undefined;
    }
  });
  const tls = readTls(reader);
  const services = read('proxy', (text, place) => {
    const url = URL.parse(text);
    if (url !== null && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return forward(url, tls);
    refuse(`${place} must be the scheme, host and port of a service, such as http://127.0.0.1:8080, not "${text}"`);
    return undefined;
  });
  return [...(archives.length > 0 ? [replay(archives.flat().map(({ exchange }) => exchange))] : []), ...services];
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
