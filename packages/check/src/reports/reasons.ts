import type { ContractResult } from '../run/contract-result.ts';
import { groupByCause, type FailureGroup } from '../judgement/failures.ts';
import { checkPage } from '../judgement/check-texts.ts';
import { formatFailure, redactError, type ReportOptions } from './text.ts';

/** A reason why a run failed. */
export type FailureReason = {
  /** Only `contract` if the reason concerns the whole run. */
  readonly operationIds: readonly string[];
  /** The name of a check, or `implemented`, `error`, `complete` or `run`. */
  readonly name: string;
  /** The address of the page of the check. */
  readonly page?: string;
  /** The place of the first operation in the document. */
  readonly place?: { readonly file: string; readonly line: number } | undefined;
  readonly message: string;
  /** The message and the evidence, with redacted secrets. */
  readonly text: string;
};

/**
 * Lists the reasons why a run failed, or the problem that prevented it.
 *
 * @param findings the failures, grouped by cause or single
 */
export function listReasons(
  result: ContractResult | undefined,
  problem: string | undefined,
  options: ReportOptions,
  findings: readonly Pick<FailureGroup, 'first' | 'operationIds'>[] = groupByCause(result?.failures ?? []),
): readonly FailureReason[] {
  const reason = (operationIds: readonly string[], name: string, message: string): FailureReason => {
    return { operationIds, name, message, text: message, place: options.locate?.(operationIds[0] ?? '') };
  };
  const { seed, notImplemented = [], errors = [], incomplete = [], unsuccessful } = result ?? {};
  return [
    ...findings.map(({ first, operationIds }): FailureReason => {
      const { check, message } = first;
      const text = formatFailure(first, seed, options);
      return { ...reason(operationIds, check, message), page: checkPage(check), text };
    }),
    ...notImplemented.map((operationId) => reason([operationId], 'implemented', 'not implemented (501)')),
    ...errors.map(({ operationId, message }) => reason([operationId], 'error', redactError(message, options))),
    ...incomplete.map((operationId) =>
      reason([operationId], 'complete', 'incomplete, with less than the minimum of requests'),
    ),
    ...(unsuccessful === undefined ? [] : [reason(['contract'], 'complete', unsuccessful)]),
    ...(problem === undefined ? [] : [reason(['contract'], 'run', redactError(problem, options))]),
  ];
}
