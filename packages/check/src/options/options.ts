import {
  createOptionReader,
  type Environment,
  type ParsedCommandLine,
  type OptionReader,
  readOptionsFile,
  readRefs,
  readTls,
  type Secret,
  type Tls,
} from '@contract-first/command-line/options';
import type { AllowedRefs } from '@contract-first/documents';
import { createSecretSearch, quoteShell } from '@contract-first/model/requests';
import { readCorrections } from '@contract-first/model/resources';
import { CannotCheck, type Json } from '@contract-first/model/values';
import { CHECK_NAMES, type CheckName, PROFILES } from '../judgement/checks.ts';
import type { ConclusionOptions } from '../reports/conclusion.ts';
import { REPORT_KINDS, type ReportTarget } from '../reports/open-reports.ts';
import { STANDARD_OUTPUT } from '../reports/run-report.ts';
import type { RepeatLine } from '../reports/text.ts';
import type { ContractOptions } from '../run/contract-options.ts';
import type { ExtraHeader } from '../run/extra-headers.ts';
import type { Expectation, GivenValue } from '../run/selection.ts';
import { readSignIn } from '../run/sign-in.ts';
import type { OAuthClient } from '../run/token-sources.ts';
import type { UserOptions } from '../run/users.ts';
import { CHECK } from './declaration.ts';

/** The options of the commands `check` and `proxy`. */
export type CheckOptions = Omit<
  ContractOptions,
  'document' | 'baseUrl' | 'tls' | 'hooks' | 'onProgress' | 'onExchange' | 'onSecret' | 'onNote' | 'signal'
> &
  ConclusionOptions & {
    /** Values to redact. */
    readonly secrets: readonly Secret[];
    readonly url: string | undefined;
    readonly tls: Tls;
    /** The options of curl lines. */
    readonly curlOptions: readonly string[];
    /** The path of the document. */
    readonly documentPath: string | undefined;
    readonly allowedRefs: AllowedRefs;
    readonly reports: readonly ReportTarget[];
    /** The path of the hooks module. */
    readonly hooksPath: string | undefined;
    readonly isProtocolFolded: boolean;
    readonly repeatLine: RepeatLine;
    /** The paths of HTTP archives. */
    readonly archives: readonly string[];
    /** The port of the proxy. */
    readonly port: number | undefined;
  };

// The repeat line sets these options itself, or they do not affect requests.
const NOT_REPEATED = [
  'baseline',
  'update-baseline',
  'operation',
  'tag',
  'exclude',
  'seed',
  'workers',
  'budget',
  'allow-incomplete',
  'report',
  'json',
  'quiet',
];
const MAX_INTEGER = 2 ** 31 - 1;
const MAX_WORKERS = 64;
const MAX_PORT = 65_535;
const MAX_BUDGET_SECONDS = 86_400;

/**
 * Reads the options of the command line and of the options file. The command line takes precedence.
 *
 * @throws {CannotCheck} with all problems
 */
export function readCheckOptions(
  { options: onCommandLine }: ParsedCommandLine,
  environment: Environment,
): CheckOptions {
  const problems: string[] = [];
  const inFile = readOptionsFile(onCommandLine.get('config')?.values[0], CHECK, problems);
  const reader = createOptionReader(new Map([...inFile, ...onCommandLine]), environment, problems);
  const { has, textOf, textsOf, readInteger } = reader;

  const users = readUsers(reader, environment);
  const reports = readReports(reader);
  const checks = readChecks(reader);
  const budgetSeconds = readInteger('budget', 1, MAX_BUDGET_SECONDS);
  const options: CheckOptions = {
    url: textOf('url'),
    tls: readTls(reader),
    curlOptions: curlOptionsIn(reader),
    documentPath: textOf('document'),
    allowedRefs: readRefs(reader),
    ...users,
    shared: textsOf('shared'),
    headers: readHeaders(reader),
    operations: textsOf('operation'),
    tags: textsOf('tag'),
    excluded: textsOf('exclude'),
    checks,
    expectations: readExpectations(reader),
    values: readValues(reader),
    corrections: readCorrections(reader),
    maxResponseTimeMs: readInteger('max-response-time', 1, MAX_INTEGER),
    maxResponseBytes: readInteger('max-response-size', 1, MAX_INTEGER),
    runs: readInteger('runs', 0, MAX_INTEGER),
    seed: readInteger('seed', 0, MAX_INTEGER),
    workers: readInteger('workers', 1, MAX_WORKERS),
    rate: readRate(reader),
    budgetMs: budgetSeconds === undefined ? undefined : budgetSeconds * 1_000,
    isIncompleteAllowed: has('allow-incomplete'),
    ...reports,
    hooksPath: textOf('hooks'),
    baselinePath: textOf('baseline'),
    isBaselineUpdated: has('update-baseline'),
    isProtocolFolded: !has('checks'),
    isQuiet: has('quiet'),
    isResultPrinted: !has('json'),
    secrets: reader.secrets,
    archives: textsOf('har') ?? [],
    port: readInteger('port', 0, MAX_PORT),
    repeatLine: (operationIds, seed, redactor) => {
      const { split } = redactor ?? createSecretSearch(reader.secrets);
      const named = operationIds.map((operationId) => `--operation ${quoteShell(operationId)}`);
      const seeded = seed === undefined ? [] : [`--seed ${String(seed)}`];
      const repeated = [...onCommandLine]
        .filter(([name]) => !NOT_REPEATED.includes(name))
        .flatMap(([name, { values }]) => {
          const splitValue = SECRET_OPTIONS.includes(name) ? split : undefined;
          return values.map((value) => `${name === 'document' ? '' : `--${name} `}${quoteShell(value, splitValue)}`);
        });
      return ['npx contract-first check', ...repeated, ...seeded, ...named].join(' ');
    },
  };
  if (options.isBaselineUpdated && options.baselinePath === undefined)
    problems.push('--update-baseline needs the file: --baseline FILE');
  if (problems.length > 0) throw new CannotCheck(problems.join('\n'));
  return options;
}

/** Returns the options of curl for the options of TLS. */
function curlOptionsIn({ has, textOf }: OptionReader): readonly string[] {
  const named = [
    ['ca', '--cacert'],
    ['cert', '--cert'],
    ['key', '--key'],
  ] as const;
  const files = named.flatMap(([name, ofCurl]) => {
    const path = textOf(name);
    return path === undefined ? [] : [`${ofCurl} ${quoteShell(path)}`];
  });
  return has('insecure') ? [...files, '--insecure'] : files;
}

/** Reads the enabled checks from `--checks` and `--exclude-checks`. */
function readChecks(reader: OptionReader): ReadonlySet<CheckName> {
  const chosen = reader.has('checks') ? readCheckNames(reader, 'checks') : PROFILES.default;
  const excluded = readCheckNames(reader, 'exclude-checks');
  return new Set(chosen.filter((name) => !excluded.includes(name)));
}

function readCheckNames({ read, refuse }: OptionReader, option: string): readonly CheckName[] {
  const found = read(option, (text, place) =>
    text.split(',').flatMap((part) => {
      const name = part.trim();
      if (isProfile(name)) return PROFILES[name];
      const check = CHECK_NAMES.find((known) => known === name);
      if (check !== undefined) return [check];
      const all = [...Object.keys(PROFILES), ...CHECK_NAMES];
      refuse(`${place}: unknown check "${part}"; there are ${all.join(', ')}`);
      return [];
    }),
  );
  return found.flat();
}

function isProfile(name: string): name is keyof typeof PROFILES {
  return Object.hasOwn(PROFILES, name);
}

/** Reads the reports. Each report needs its own file, except the coverage, which is printed without one. */
function readReports({
  has,
  textsOf,
  read,
  refuse,
}: OptionReader): Pick<CheckOptions, 'reports' | 'isCoverageWanted' | 'countsCoverage'> {
  const isCoverageWanted = textsOf('report')?.includes('coverage') === true;
  const reports = read('report', (text, place) => {
    if (text === 'coverage') return undefined;
    const [, name, path = ''] = /^([^:]*):(.+)$/s.exec(text) ?? [];
    const kind = REPORT_KINDS.find((known) => known === name);
    if (kind !== undefined) return { kind, path };
    refuse(`${place} must be coverage, or such as junit:report.xml, with ${REPORT_KINDS.join(', ')}, not "${text}"`);
    return undefined;
  });
  const paths = reports.map(({ path }) => path);
  for (const path of new Set(paths.filter((path, index) => paths.indexOf(path) !== index)))
    refuse(`--report: ${path} is the file of several reports`);
  if (has('json')) reports.push({ kind: 'json', path: STANDARD_OUTPUT });
  const countsCoverage = isCoverageWanted || reports.some(({ kind }) => kind === 'coverage');
  return { reports, isCoverageWanted, countsCoverage };
}

/** Reads the number of requests per second, which may be a fraction. */
function readRate({ read, refuse }: OptionReader): number | undefined {
  const [rate] = read('rate', (text, place) => {
    if (/^\d*\.?\d+$/.test(text) && Number(text) > 0) return Number(text);
    refuse(`${place} must be a number above 0, such as 20 or 0.5, not "${text}"`);
    return undefined;
  });
  return rate;
}

/** Reads further statuses that are accepted for valid data. */
function readExpectations({ read, refuse }: OptionReader): readonly Expectation[] {
  return read('expect', (text, place) => {
    const [, operation, statuses = ''] = /^(?:(.*):)?([^:]*)$/.exec(text) ?? [];
    const list = statuses.split(',').map((status) => status.trim());
    if (list.every((status) => /^[1-4]\d\d$/.test(status))) return { operation, statuses: list.map(Number) };
    refuse(`${place} must be such as createItem:409,422 or 409, with statuses below 500, not "${text}"`);
    return undefined;
  });
}

/** Reads values that exist on the server. */
function readValues({ read, expand, refuse }: OptionReader): readonly GivenValue[] {
  return read('value', (text, place) => {
    const [, operation, name, value = ''] = /^(?:([^=]*):)?([^:=]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) return { operation, name, value: valueOf(expand(value, place)) };
    refuse(`${place} must be such as tripId=7 or createBooking:tripId=7, not "${text}"`);
    return undefined;
  });
}

/** Reads the headers that are added to every request. */
function readHeaders({ read, expand, refuse }: OptionReader): readonly ExtraHeader[] {
  return read('header', (text, place): ExtraHeader | undefined => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, expand(value, place)];
    refuse(`${place} must be such as 'X-Tenant: a', not "${text}"`);
    return undefined;
  });
}

/** Parses `true`, `false` and integers; other values are texts. Texts are used if the schema allows only texts. */
function valueOf(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}

/** The options whose values may contain secrets. */
const SECRET_OPTIONS = [...['token', 'credential', 'token-command', 'client', 'other-token'], ...['header', 'value']];

/** Reads the credentials of the users, and registers them as secrets. */
function readUsers(reader: OptionReader, environment: Environment): UserOptions {
  const { has, textOf, placeOf, read, expand, hide, refuse } = reader;
  const tokenCommand = textOf('token-command');
  if (tokenCommand !== undefined && has('token'))
    refuse(`${placeOf('token-command')}: the token is given by --token as well; leave one out`);
  for (const name of ['token-command', 'client'])
    if (has(name) && !has('url')) refuse(`${placeOf(name)} needs --url: a temporary service has tokens of its own`);
  return {
    token: tokenCommand === undefined ? readToken('token', 'TOKEN', 'CONTRACT_TOKEN') : undefined,
    ...readCredentials(),
    tokenCommand,
    client: read('client', readClient)[0],
    otherToken: readToken('other-token', 'OTHER_TOKEN', 'CONTRACT_OTHER_TOKEN'),
    signIn: readSignIn(reader),
  };

  /** Reads a token from an option, or else from an environment variable. */
  function readToken(name: string, variable: string, fallback: string): string | undefined {
    const text = textOf(name);
    if (text !== undefined) return readSecret(text, placeOf(name), variable);
    const value = environment[fallback];
    if (value === '') refuse(`${fallback} is empty: set it to the token, or unset it`);
    if (value !== undefined) hide(fallback, value);
    return value;
  }

  /** Reads the credentials for single schemes. The second credentials for a scheme belong to the second user. */
  function readCredentials(): Pick<UserOptions, 'credentials' | 'otherCredentials'> {
    const credentials = new Map<string, string>();
    const otherCredentials = new Map<string, string>();
    read('credential', (text, place) => {
      const [, id, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (id === undefined || value === undefined) {
        refuse(`${place} must be such as apiKey=abc, with the name of a security scheme`);
      } else if (otherCredentials.has(id)) {
        refuse(`${place}: ${id} may be given twice, for two users`);
      } else {
        const [user, prefix] = credentials.has(id) ? [otherCredentials, 'OTHER_TOKEN'] : [credentials, 'TOKEN'];
        user.set(id, readSecret(value, place, `${prefix}_${variableOf(id)}`));
      }
      return undefined;
    });
    return { credentials, otherCredentials };
  }

  function readClient(text: string, place: string): OAuthClient | undefined {
    const variable = 'CLIENT_SECRET';
    const [, id, secret] = /^([^:]+):(.+)$/s.exec(expand(text, place)) ?? [];
    if (id === undefined || secret === undefined) {
      refuse(`${place} must be such as my-client:secret`);
      return undefined;
    }
    if (!isExpanded(text)) hide(variable, secret);
    return { id, secret };
  }

  /**
   * Expands environment variables in a secret. If the secret contains no variables, output shows `variable` in its
   * place.
   */
  function readSecret(text: string, place: string, variable: string): string {
    const value = expand(text, place);
    if (value === '' && !isMissing(text)) refuse(`${place} is empty: is the variable set?`);
    if (!isExpanded(text)) hide(variable, value);
    return value;
  }

  /** Returns whether a variable in a text is not set, which is reported as a separate problem. */
  function isMissing(text: string): boolean {
    return [...text.matchAll(/\$\{(\w+)\}/g)].some(([, name = '']) => environment[name] === undefined);
  }
}

function isExpanded(text: string): boolean {
  return /\$\{\w+\}/.test(text);
}

/** Returns the variable name for a security scheme, such as `API_KEY` for `apiKey`. */
function variableOf(id: string): string {
  return id
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/\W+/g, '_')
    .toUpperCase();
}
