import type { AllowedRefs } from '@contract-first/documents';
import { CannotCheck } from '@contract-first/model/values';
import { createSecretSearch, quote } from '@contract-first/model/requests';
import {
  createOptionReader,
  type Environment,
  readCommandLine,
  readRefs,
  type Secret,
} from '@contract-first/command-line/options';
import { FILE_OPTIONS, readContractFile, readCorrections } from '@contract-first/model/resources';
import type { ContractOptions } from '../run/contract-options.ts';
import { readChecks, readExpectations, readHeaders, readRate, readReports, readValues } from './option-values.ts';
import type { ConclusionOptions } from '../reports/conclusion.ts';
import type { ReportTarget } from '../reports/open-reports.ts';
import type { RepeatLine } from '../reports/text.ts';
import { readUsers, SECRET_OPTIONS } from './user-options.ts';

/** The options of the command. */
export type CheckOptions = Omit<
  ContractOptions,
  'document' | 'baseUrl' | 'hooks' | 'onProgress' | 'onExchange' | 'onSecret' | 'onNote' | 'signal'
> &
  ConclusionOptions & {
    readonly isHelpWanted: boolean;
    /** The values that are not printed. */
    readonly secrets: readonly Secret[];
    readonly url: string | undefined;
    /** The path of the document. */
    readonly documentPath: string | undefined;
    readonly allowedRefs: AllowedRefs;
    readonly reports: readonly ReportTarget[];
    /** The module of the hooks. */
    readonly hooksPath: string | undefined;
    readonly isProtocolFolded: boolean;
    readonly repeatLine: RepeatLine;
    /** The paths of HTTP archives. */
    readonly archives: readonly string[];
    /** The port of the proxy. */
    readonly port: number | undefined;
  };

const ON_COMMAND_LINE: typeof FILE_OPTIONS = [
  ...FILE_OPTIONS.filter(([, kind]) => kind !== 'map'),
  ['har', 'list'],
  ['update-baseline', 'flag'],
  ['config', 'text'],
  ['help', 'flag'],
];
const OF_PROXY: typeof FILE_OPTIONS = [
  ...['document', 'url', 'port', 'max-response-time', 'baseline', 'config'].map((name) => [name, 'text'] as const),
  ...['har', 'operation', 'tag', 'checks', 'exclude-checks', 'report', 'allow-refs'].map(
    (name) => [name, 'list'] as const,
  ),
  ...['coverage', 'allow-incomplete', 'update-baseline', 'help'].map((name) => [name, 'flag'] as const),
];
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
const MAX_PORT = 65_535;
const MAX_BUDGET_SECONDS = 86_400;

/**
 * Reads the options from the command line and from a file; those of the command line win.
 *
 * @throws {CannotCheck} with all mistakes
 */
export function readOptions(
  args: readonly string[],
  environment: Environment,
  command: 'check' | 'proxy' = 'check',
): CheckOptions {
  const problems: string[] = [];
  const onCommandLine = readCommandLine(
    args,
    new Map(command === 'proxy' ? OF_PROXY : ON_COMMAND_LINE),
    'document',
    problems,
  );
  const inFile = readContractFile(onCommandLine.get('config')?.values[0], problems);
  const reader = createOptionReader(new Map([...inFile, ...onCommandLine]), environment, problems);
  const { has, textOf, textsOf, readInteger } = reader;

  const users = readUsers(reader, environment);
  const checks = readChecks(reader);
  const budgetSeconds = readInteger('budget', 1, MAX_BUDGET_SECONDS);
  const options: Omit<CheckOptions, 'countsCoverage'> = {
    isHelpWanted: has('help'),
    url: textOf('url'),
    documentPath: textOf('document'),
    allowedRefs: readRefs(reader),
    ...users,
    shared: textsOf('shared'),
    headers: readHeaders(reader),
    operations: textsOf('operation'),
    tags: textsOf('tag'),
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
    reports: readReports(reader),
    isCoverageWanted: has('coverage'),
    hooksPath: textOf('hooks'),
    baselinePath: textOf('baseline'),
    isBaselineUpdated: has('update-baseline'),
    isProtocolFolded: !has('checks'),
    secrets: reader.secrets,
    archives: textsOf('har') ?? [],
    port: readInteger('port', 0, MAX_PORT),
    repeatLine: (operationIds, seed, redactor) => {
      const { split } = redactor ?? createSecretSearch(reader.secrets);
      const named = operationIds.map((operationId) => `--operation ${quote(operationId)}`);
      const seeded = seed === undefined ? [] : [`--seed ${String(seed)}`];
      const repeated = [...onCommandLine]
        .filter(([name]) => !NOT_REPEATED.includes(name))
        .flatMap(([name, { values }]) => {
          const splitValue = SECRET_OPTIONS.includes(name) ? split : undefined;
          return values.map((value) => `--${name} ${quote(value, splitValue)}`);
        });
      return ['npx contract-first check', ...repeated, ...seeded, ...named].join(' ');
    },
  };
  if (options.isBaselineUpdated && options.baselinePath === undefined)
    problems.push('--update-baseline needs the file: --baseline FILE');
  if (problems.length > 0) throw new CannotCheck(problems.join('\n'));
  const { isCoverageWanted, reports } = options;
  return { ...options, countsCoverage: isCoverageWanted || reports.some(({ kind }) => kind === 'coverage') };
}
