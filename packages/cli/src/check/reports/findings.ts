import type { ContractResult } from '../contract-result.ts';
import { formatFailure, type ReportOptions } from '../report.ts';
import { hideSecrets } from '../secrets.ts';

/** A reason why a run was not successful. */
export type Finding = {
  /** `contract` for a run that was not possible, or says nothing. */
  readonly operationId: string;
  /** The name of a check, or `implemented`, `error`, `complete` or `run`. */
  readonly name: string;
  readonly message: string;
  /** The message and the evidence, without secrets. */
  readonly text: string;
};

/** Lists the findings of a run; without a result, the problem that prevented it. */
export function listFindings(
  result: ContractResult | undefined,
  problem: string | undefined,
  options: ReportOptions,
): readonly Finding[] {
  const finding = (operationId: string, name: string, text: string): Finding => {
    const message = hideSecrets(text, options.secrets);
    return { operationId, name, message, text: message };
  };
  const { seed = 0, failures = [], notImplemented = [], errors = [], incomplete = [], unsuccessful } = result ?? {};
  return [
    ...failures.map((failure): Finding => {
      const { operationId, check, message } = failure;
      return { ...finding(operationId, check, message), text: formatFailure(failure, seed, options) };
    }),
    ...notImplemented.map((operationId) => finding(operationId, 'implemented', 'not implemented (501)')),
    ...errors.map(({ operationId, message }) => finding(operationId, 'error', message)),
    ...incomplete.map((operationId) =>
      finding(operationId, 'complete', 'incomplete, with less than the minimum of requests'),
    ),
    ...(unsuccessful === undefined ? [] : [finding('contract', 'complete', unsuccessful)]),
    ...(problem === undefined ? [] : [finding('contract', 'run', problem)]),
  ];
}
