import { formatJunit, type JunitCase, type JunitSuite } from '../../reports/junit.ts';
import type { CheckName } from '../checks.ts';
import type { ContractResult } from '../contract-result.ts';
import { formatFailure, type ReportOptions } from '../report.ts';
import { hideSecrets } from '../secrets.ts';
import type { CreateReport } from './run-report.ts';

type Seen = { readonly checks: ReadonlySet<CheckName>; readonly durationMs: number };
type Failed = NonNullable<JunitCase['failure']>;

const NOTHING: Seen = { checks: new Set(), durationMs: 0 };

/** Writes a test case of JUnit for each operation and check, at the end of the run. */
export const createJunit: CreateReport = (file, options) => {
  const operations = new Map<string, Seen>();
  return {
    observe({ operation: { operationId }, checks, durationMs }) {
      const seen = operations.get(operationId) ?? NOTHING;
      const all = seen.checks.union(new Set(checks));
      operations.set(operationId, { checks: all, durationMs: seen.durationMs + durationMs });
    },
    finish(result, problem) {
      const ended = result?.errors.map(({ operationId }) => operationId) ?? [];
      const operationIds = new Set([...operations.keys(), ...(result?.incomplete ?? []), ...ended]);
      const suites = [...operationIds].map((name): JunitSuite => {
        const { checks, durationMs } = operations.get(name) ?? NOTHING;
        const failures = result === undefined ? new Map<string, Failed>() : failuresOf(name, result, options);
        const names = new Set([...checks, ...failures.keys()]);
        const cases = [...names].map((check): JunitCase => {
          return { attributes: { classname: name, name: check }, failure: failures.get(check) };
        });
        return { name, cases, seconds: durationMs / 1_000 };
      });
      if (problem !== undefined)
        suites.push({ name: 'contract', cases: [runFailed(hideSecrets(problem, options.secrets))] });
      file.write(formatJunit('contract', suites));
    },
  };
};

/** Returns the failures of an operation by the name of the test case. */
function failuresOf(operationId: string, result: ContractResult, options: ReportOptions): Map<string, Failed> {
  const { seed, failures, notImplemented, incomplete, errors } = result;
  const found = failures.filter((failure) => failure.operationId === operationId);
  const entries = found.map((failure): [string, Failed] => {
    const { check, message } = failure;
    const text = formatFailure(failure, seed, options);
    return [check, { type: check, message: hideSecrets(message, options.secrets), text }];
  });
  const isNotImplemented = notImplemented.includes(operationId);
  const isIncomplete = incomplete.includes(operationId);
  return new Map([
    ...entries,
    ...(isNotImplemented ? [aboutRun('implemented', 'not implemented (501)')] : []),
    ...errors.filter((error) => error.operationId === operationId).map(({ message }) => aboutRun('error', message)),
    ...(isIncomplete ? [aboutRun('complete', 'incomplete, with less than the minimum of requests')] : []),
  ]);
}

/** Returns the test case of a run that was not possible. */
function runFailed(problem: string): JunitCase {
  const [name, failure] = aboutRun('run', problem);
  return { attributes: { classname: 'contract', name }, failure };
}

function aboutRun(name: string, message: string): [string, Failed] {
  return [name, { type: name, message, text: message }];
}
