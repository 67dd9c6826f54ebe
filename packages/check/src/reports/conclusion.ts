import { print } from '@contract-first/command-line/terminal';
import type { InvalidOperation } from '@contract-first/model/operations';
import { readBaseline, writeBaseline, type Baseline } from './baseline.ts';
import type { ContractResult } from '../run/contract-result.ts';
import { formatCoverage } from '../coverage/format-coverage.ts';
import type { ContractOptions } from '../run/contract-options.ts';
import { formatResult, type ReportOptions } from './text.ts';

/** The options that the end of a run depends on. */
export type ConclusionOptions = Pick<ContractOptions, 'operations' | 'tags' | 'isIncompleteAllowed'> & {
  /** The file of the failures that are accepted as known. */
  readonly baselinePath: string | undefined;
  /** Whether the failures of this run are written to that file. */
  readonly isBaselineUpdated: boolean;
  /** Whether the coverage is printed. */
  readonly isCoverageWanted: boolean;
};

/** The end of a run, as its options say. */
export type Conclusion = Pick<Baseline, 'accepts' | 'mayAccept'> & {
  /**
   * Prints a result, or writes the baseline instead.
   *
   * @returns the result for the reports
   * @throws {CannotCheck} when the baseline cannot be written
   */
  readonly conclude: (result: ContractResult, report: ReportOptions) => Concluded;
};

type Concluded = { readonly result: ContractResult; readonly exitCode: number };

/**
 * Prepares the end of a run.
 *
 * @param invalid the operations that are not checked
 * @throws {CannotCheck} when the baseline does not exist
 */
export function prepareConclusion(options: ConclusionOptions, invalid: readonly InvalidOperation[]): Conclusion {
  const { baselinePath, isBaselineUpdated, isCoverageWanted, isIncompleteAllowed } = options;
  const isAll = options.operations === undefined && options.tags === undefined;
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
        print(`${baselinePath} accepts the failures of this run`);
        return { result: withAllowed(all), exitCode: 0 };
      }
      const printed = baseline?.apply(all) ?? all;
      if (isCoverageWanted) print(`${formatCoverage(printed.coverage ?? [])}\n`);
      print(formatResult(printed, report));
      const result = withAllowed(printed);
      return { result, exitCode: exitCodeOf(result) };
    },
  };
}

function exitCodeOf({ failures, notImplemented, errors, incomplete, unsuccessful }: ContractResult): number {
  if (failures.length + notImplemented.length > 0) return 1;
  return errors.length + incomplete.length > 0 || unsuccessful !== undefined ? 2 : 0;
}

/** Adds the invalid operations to the incomplete ones. */
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
