import { readFileSync, writeFileSync } from 'node:fs';
import { describeSystemError } from '@contract-first/contract';
import { loadYaml } from '@contract-first/command-line/files';
import { print, type Style } from '@contract-first/command-line/terminal';
import type { InvalidOperation } from '@contract-first/model/operations';
import { CannotCheck } from '@contract-first/model/values';
import { formatCoverage } from '../coverage/format-coverage.ts';
import type { ContractOptions } from '../run/contract-options.ts';
import type { ContractResult } from '../run/contract-result.ts';
import { formatResult, type ReportOptions } from './text.ts';

/** The options for the end of a run. */
export type ConclusionOptions = Pick<ContractOptions, 'operations' | 'tags' | 'excluded' | 'isIncompleteAllowed'> & {
  /** The baseline file, which lists the accepted failures. */
  readonly baselinePath: string | undefined;
  /** Whether to write the failures of this run to the baseline. */
  readonly isBaselineUpdated: boolean;
  /** Whether to print nothing but findings. */
  readonly isQuiet: boolean;
  /** Whether to print the result. */
  readonly isResultPrinted: boolean;
  /** Whether to print the coverage. */
  readonly isCoverageWanted: boolean;
};

/** Accepts known failures, and prints the result of a run. */
export type Conclusion = Pick<Baseline, 'accepts' | 'mayAccept'> & {
  /**
   * Prints a result, or writes the baseline.
   *
   * @returns the result for the reports
   * @throws {CannotCheck} if the baseline cannot be written
   */
  readonly conclude: (result: ContractResult, report: ReportOptions) => Concluded;
};

type Concluded = { readonly result: ContractResult; readonly exitCode: number };

/**
 * Prepares the end of a run. Reads the baseline.
 *
 * @param invalid the invalid operations, which are not checked
 * @throws {CannotCheck} if the baseline cannot be read
 */
export function prepareConclusion(options: ConclusionOptions, invalid: readonly InvalidOperation[]): Conclusion {
  const { baselinePath, isBaselineUpdated, isCoverageWanted, isIncompleteAllowed, isQuiet, isResultPrinted } = options;
  const isAll = [options.operations, options.tags, options.excluded].every((names) => names === undefined);
  const baseline = baselinePath === undefined || isBaselineUpdated ? undefined : readBaseline(baselinePath);
  const withAllowed = (result: ContractResult): ContractResult =>
    isIncompleteAllowed ? { ...result, incomplete: [], unsuccessful: undefined } : result;
  return {
    accepts: (failure) => baseline?.accepts(failure) === true,
    mayAccept: (failure) => baseline?.mayAccept(failure) === true,
    conclude(found, report) {
      const all = isAll ? withInvalid(found, invalid) : found;
      if (baselinePath !== undefined && isBaselineUpdated) {
        writeBaseline(baselinePath, all);
        if (!isQuiet) print(`${baselinePath} accepts the failures of this run`);
        return { result: withAllowed(all), exitCode: 0 };
      }
      const printed = baseline?.apply(all) ?? all;
      if (isCoverageWanted) print(`${formatCoverage(printed.coverage ?? [])}\n`);
      const result = withAllowed(printed);
      const exitCode = exitCodeOf(result);
      if (isResultPrinted && (exitCode !== 0 || !isQuiet)) print(formatResult(printed, report), WORDS);
      return { result, exitCode };
    },
  };
}

/** The colours of words at the beginning of a line. */
const WORDS: Readonly<Record<string, Style>> = { FAILED: 'red' };

function exitCodeOf({ failures, notImplemented, errors, incomplete, unsuccessful }: ContractResult): number {
  if (failures.length + notImplemented.length > 0) return 1;
  return errors.length + incomplete.length > 0 || unsuccessful !== undefined ? 2 : 0;
}

/** Adds the invalid operations to the incomplete operations. */
function withInvalid(result: ContractResult, invalid: readonly InvalidOperation[]): ContractResult {
  return {
    ...result,
    incomplete: [...invalid.map(({ operation }) => operation), ...result.incomplete],
    notes: [
      ...invalid.map(({ operation, problem }) => `${operation}: not checked, as the document is not valid: ${problem}`),
      ...result.notes,
    ],
  };
}

/** Known failures, which do not fail a run. */
type Baseline = {
  readonly accepts: (failure: KnownFailure) => boolean;
  /** Returns whether a failure may be accepted after its request is simplified, which may change the cause. */
  readonly mayAccept: (failure: KnownFailure) => boolean;
  /** Removes accepted failures from a result, and adds a note for each known failure that did not occur. */
  readonly apply: (result: ContractResult) => ContractResult;
};

type KnownFailure = { readonly check: string; readonly cause: string; readonly operationId: string };

/** An entry of the baseline file: a cause and its operations. */
type Entry = { readonly check: string; readonly cause: string; readonly operations: readonly string[] };

const NOT_IMPLEMENTED = { check: 'implemented', cause: 'not implemented (501)' };
const COMMENT = '# The failures that contract-first check accepts. --update-baseline writes this file.\n';

/** Reads a baseline. @throws {CannotCheck} if it cannot be read */
function readBaseline(path: string): Baseline {
  const known = readEntries(path).flatMap(({ operations, ...rest }) =>
    operations.map((operationId): KnownFailure => ({ ...rest, operationId })),
  );
  const keyOf = ({ check, cause, operationId }: KnownFailure): string => JSON.stringify([check, cause, operationId]);
  const keys = new Set(known.map(keyOf));
  const accepts = (failure: KnownFailure): boolean => keys.has(keyOf(failure));
  return {
    accepts,
    mayAccept: ({ check, operationId }) => known.some((one) => one.check === check && one.operationId === operationId),
    apply(result) {
      const found = new Set(failuresOf(result).map(keyOf));
      const checked = result.operations.filter((operationId) => !result.incomplete.includes(operationId));
      const stale = known.filter((one) => checked.includes(one.operationId) && !found.has(keyOf(one)));
      const accepted = failuresOf(result).filter(accepts).length;
      return {
        ...result,
        failures: result.failures.filter((failure) => !accepts(failure)),
        notImplemented: result.notImplemented.filter((operationId) => !accepts({ ...NOT_IMPLEMENTED, operationId })),
        notes: [
          ...result.notes,
          ...(accepted === 0 ? [] : [`${path} accepts ${String(accepted)} failures`]),
          ...stale.map(({ check, operationId, cause }) => `${path}: fixed? ${check}  ${operationId}: ${cause}`),
        ],
      };
    },
  };
}

/** Writes a baseline that accepts the failures of a run. @throws {CannotCheck} if it cannot be written */
function writeBaseline(path: string, result: ContractResult): void {
  const groups = Map.groupBy(failuresOf(result), ({ check, cause }) => JSON.stringify([check, cause]));
  const entries = [...groups.values()].flatMap((group): Entry[] => {
    const operations = group.map(({ operationId }) => operationId).sort();
    return group.slice(0, 1).map(({ check, cause }) => ({ check, cause, operations }));
  });
  try {
    writeFileSync(path, COMMENT + loadYaml().stringify(entries, { lineWidth: 0 }));
  } catch (error) {
    throw new CannotCheck(`the baseline ${path} cannot be written: ${describeSystemError(error)}`, { cause: error });
  }
}

function failuresOf({ failures, notImplemented }: ContractResult): readonly KnownFailure[] {
  return [...failures, ...notImplemented.map((operationId) => ({ ...NOT_IMPLEMENTED, operationId }))];
}

function readEntries(path: string): readonly Entry[] {
  let entries: unknown;
  try {
    entries = loadYaml().parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const reason = isMissing
      ? 'does not exist: --update-baseline writes it'
      : `cannot be read: ${describeSystemError(error)}`;
    throw new CannotCheck(`the baseline ${path} ${reason}`, { cause: error });
  }
  if (Array.isArray(entries) && entries.every(isEntry)) return entries;
  throw new CannotCheck(`the baseline ${path} must be a list of entries with check, cause and operations`);
}

function isEntry(value: unknown): value is Entry {
  const { check, cause, operations } = (value ?? {}) as Partial<Record<keyof Entry, unknown>>; // Not null.
  const isTexts = Array.isArray(operations) && operations.every((one) => typeof one === 'string');
  return typeof check === 'string' && typeof cause === 'string' && isTexts;
}
