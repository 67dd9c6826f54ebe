import type { Json } from '../values/json-value.ts';
import { CannotCheck } from '../values/oracle.ts';
import { NO_OUTSIDE, readAllowedRefs, type AllowedRefs } from '@contract-first/documents';
import { CHECK_NAMES, PROFILES, type CheckName } from './checks.ts';
import type { ContractOptions } from './contract-run.ts';
import { quote } from './curl-line.ts';
import type { Secret } from './secrets.ts';
import type { ExtraHeader } from './extra-headers.ts';
import { readCommandLine, readOptionsFile, type OptionKind, type OptionKinds } from './given-options.ts';
import type { Expectation, GivenValue } from './selection.ts';

/** The options of the command. */
export type CheckOptions = Omit<
  ContractOptions,
  'document' | 'baseUrl' | 'onProgress' | 'onExchange' | 'onNote' | 'countsCoverage' | 'signal'
> & {
  readonly isHelpWanted: boolean;
  readonly url: string | undefined;
  /** The path of the document. */
  readonly documentPath: string | undefined;
  readonly allowedRefs: AllowedRefs;
  readonly isIncompleteAllowed: boolean;
  readonly reports: readonly ReportTarget[];
  /** Whether the coverage is printed. */
  readonly isCoverageWanted: boolean;
  /** The values that are not printed. */
  readonly secrets: readonly Secret[];
  /** The file of the failures that are accepted as known. */
  readonly baselinePath: string | undefined;
  /** Whether the failures of this run are written to that file. */
  readonly isBaselineUpdated: boolean;
  readonly isProtocolFolded: boolean;
  /** Returns the command that repeats the checks of an operation. */
  readonly repeatLine: (operationIds: readonly string[], seed: number) => string;
};

/** The kinds of reports. */
export const REPORT_KINDS = ['junit', 'har', 'ndjson', 'coverage', 'github', 'markdown'] as const;
export type ReportKind = (typeof REPORT_KINDS)[number];

/** A report and the path of its file. */
export type ReportTarget = { readonly kind: ReportKind; readonly path: string };

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

const OPTIONS_FILE = '.contract.yaml';
const IN_FILE: readonly (readonly [name: string, kind: OptionKind])[] = [
  ...(['url', 'token', 'document', 'runs', 'seed', 'workers', 'budget'] as const).map(
    (name) => [name, 'text'] as const,
  ),
  ['baseline', 'text'],
  ['max-response-time', 'text'],
  ['max-response-size', 'text'],
  ...(
    ['header', 'operation', 'tag', 'checks', 'exclude-checks', 'expect', 'value', 'report', 'allow-refs'] as const
  ).map((name) => [name, 'list'] as const),
  ['allow-incomplete', 'flag'],
  ['coverage', 'flag'],
];
const ON_COMMAND_LINE: typeof IN_FILE = [...IN_FILE, ['update-baseline', 'flag'], ['config', 'text'], ['help', 'flag']];
// The line that repeats an operation has its own, or they change no request.
const NOT_REPEATED = [
  'baseline',
  'update-baseline',
  'operation',
  'tag',
  'seed',
  'workers',
  'budget',
  'allow-incomplete',
  'report',
  'coverage',
];
const MAX_INTEGER = 2 ** 31 - 1;
const MAX_WORKERS = 64;
const MAX_BUDGET_SECONDS = 86_400;

/**
 * Reads the options from the command line and from a file; those of the command line win.
 *
 * @throws {CannotCheck} with all mistakes
 */
export function readOptions(args: readonly string[], environment: Environment): CheckOptions {
  const problems: string[] = [];
  const secrets = new Map<string, Secret>();
  const kinds = (list: typeof IN_FILE): OptionKinds => new Map(list);
  const onCommandLine = readCommandLine(args, kinds(ON_COMMAND_LINE), 'document', problems);
  const path = onCommandLine.get('config')?.values[0];
  const inFile = readOptionsFile(path ?? OPTIONS_FILE, path === undefined, kinds(IN_FILE), problems);
  const given = new Map([...inFile, ...onCommandLine]);

  const token = readToken();
  const checks = readChecks('checks') ?? PROFILES.default;
  const excluded = readChecks('exclude-checks') ?? [];
  const budgetSeconds = readInteger('budget', 1, MAX_BUDGET_SECONDS);
  const options: CheckOptions = {
    isHelpWanted: given.has('help'),
    url: textOf('url'),
    documentPath: textOf('document'),
    allowedRefs: readRefs(),
    token,
    headers: read('header', readHeader),
    operations: given.get('operation')?.values,
    tags: given.get('tag')?.values,
    checks: new Set(checks.filter((name) => !excluded.includes(name))),
    expectations: read('expect', readExpectation),
    values: read('value', readValue),
    maxResponseTimeMs: readInteger('max-response-time', 1, MAX_INTEGER),
    maxResponseBytes: readInteger('max-response-size', 1, MAX_INTEGER),
    runs: readInteger('runs', 0, MAX_INTEGER),
    seed: readInteger('seed', 0, MAX_INTEGER),
    workers: readInteger('workers', 1, MAX_WORKERS),
    budgetMs: budgetSeconds === undefined ? undefined : budgetSeconds * 1_000,
    isIncompleteAllowed: given.has('allow-incomplete'),
    reports: readReports(),
    isCoverageWanted: given.has('coverage'),
    baselinePath: textOf('baseline'),
    isBaselineUpdated: given.has('update-baseline'),
    isProtocolFolded: !given.has('checks'),
    secrets: [...secrets.values()],
    repeatLine: (operationIds, seed) => {
      const named = operationIds.map((operationId) => `--operation ${quote(operationId)}`);
      return ['npx contract-first check', ...repeated, `--seed ${String(seed)}`, ...named].join(' ');
    },
  };
  const repeated = [...onCommandLine]
    .filter(([name]) => !NOT_REPEATED.includes(name))
    .flatMap(([name, { values }]) =>
      values.map((value) => `--${name} ${quote(value, name === 'token' ? options.secrets : [])}`),
    );
  if (options.isBaselineUpdated && options.baselinePath === undefined)
    problems.push('--update-baseline needs the file: --baseline FILE');
  if (problems.length > 0) throw new CannotCheck(problems.join('\n'));
  return options;

  function textOf(name: string): string | undefined {
    return given.get(name)?.values[0];
  }

  /** Reads each value of an option. The reader returns `undefined` and adds a message for a mistake. */
  function read<Value>(name: string, readOne: (text: string, place: string) => Value | undefined): Value[] {
    const { values = [], place = '' } = given.get(name) ?? {};
    return values.map((text) => readOne(text, place)).filter((value) => value !== undefined);
  }

  function readInteger(name: string, least: number, most: number): number | undefined {
    const [value] = read(name, (text, place) => {
      const number = Number(text);
      if (/^\d+$/.test(text) && number >= least && number <= most) return number;
      problems.push(`${place} must be an integer from ${String(least)} to ${String(most)}, not "${text}"`);
      return undefined;
    });
    return value;
  }

  function readRefs(): AllowedRefs {
    const { values, place = '' } = given.get('allow-refs') ?? {};
    try {
      return readAllowedRefs(values);
    } catch (error) {
      problems.push(`${place.replace(/--allow-refs$/, '')}${(error as Error).message}`);
      return NO_OUTSIDE;
    }
  }

  function readChecks(name: string): readonly CheckName[] | undefined {
    if (!given.has(name)) return undefined;
    const found = read(name, (text, place) =>
      text.split(',').flatMap((part) => {
        const name = part.trim();
        if (isProfile(name)) return PROFILES[name];
        const check = CHECK_NAMES.find((known) => known === name);
        if (check !== undefined) return [check];
        const all = [...Object.keys(PROFILES), ...CHECK_NAMES];
        problems.push(`${place}: unknown check "${part}"; there are ${all.join(', ')}`);
        return [];
      }),
    );
    return found.flat();
  }

  function readReports(): readonly ReportTarget[] {
    const reports = read('report', (text, place) => {
      const [, name, path = ''] = /^([^:]*):(.+)$/s.exec(text) ?? [];
      const kind = REPORT_KINDS.find((known) => known === name);
      if (kind !== undefined) return { kind, path };
      problems.push(`${place} must be such as junit:report.xml, with ${REPORT_KINDS.join(', ')}, not "${text}"`);
      return undefined;
    });
    const paths = reports.map(({ path }) => path);
    for (const path of new Set(paths.filter((path, index) => paths.indexOf(path) !== index)))
      problems.push(`--report: ${path} is the file of several reports`);
    return reports;
  }

  function readExpectation(text: string, place: string): Expectation | undefined {
    const [, operation, statuses = ''] = /^(?:(.*):)?([^:]*)$/.exec(text) ?? [];
    const list = statuses.split(',').map((status) => status.trim());
    if (list.every((status) => /^[1-4]\d\d$/.test(status))) return { operation, statuses: list.map(Number) };
    problems.push(`${place} must be such as createItem:409,422 or 409, with statuses below 500, not "${text}"`);
    return undefined;
  }

  function readValue(text: string, place: string): GivenValue | undefined {
    const [, operation, name, value = ''] = /^(?:([^=]*):)?([^:=]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) return { operation, name, value: valueOf(expand(value, place)) };
    problems.push(`${place} must be such as tripId=7 or createBooking:tripId=7, not "${text}"`);
    return undefined;
  }

  function readHeader(text: string, place: string): ExtraHeader | undefined {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, expand(value, place)];
    problems.push(`${place} must be such as 'X-Tenant: a', not "${text}"`);
    return undefined;
  }

  function readToken(): string | undefined {
    const text = textOf('token');
    const { CONTRACT_TOKEN: fromEnvironment } = environment;
    const isOnCommandLine = text !== undefined;
    const value = isOnCommandLine ? expand(text, given.get('token')?.place ?? '') : fromEnvironment;
    if (value === undefined || secrets.size > 0) return value; // expand() has noted a variable.
    const variable = isOnCommandLine ? 'TOKEN' : 'CONTRACT_TOKEN';
    secrets.set(variable, { variable, value });
    return value;
  }

  /** Replaces `${NAME}` by the environment variable of the name, which is not printed then. */
  function expand(text: string, place: string): string {
    return text.replaceAll(/\$\{(\w+)\}/g, (_whole, variable: string) => {
      const value = environment[variable];
      if (value === undefined) problems.push(`${place}: the environment has no ${variable}`);
      else secrets.set(variable, { variable, value });
      return value ?? '';
    });
  }
}

function isProfile(name: string): name is keyof typeof PROFILES {
  return Object.hasOwn(PROFILES, name);
}

/** Reads a value: an integer, `true`, `false`, or else a text. Where its schema allows texts only, it is one. */
function valueOf(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}
