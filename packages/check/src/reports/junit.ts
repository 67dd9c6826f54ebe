import { formatJunit, type JunitCase, type JunitSuite } from '@contract-first/command-line/reports';
import type { CheckName } from '../judgement/checks.ts';
import { listReasons, type FailureReason } from './reasons.ts';
import type { CreateReport } from './run-report.ts';

type Seen = { readonly checks: ReadonlySet<CheckName>; readonly durationMs: number };

const NOTHING: Seen = { checks: new Set(), durationMs: 0 };

/** Writes a JUnit test case for each operation and check at the end of the run. */
export const createJunit: CreateReport = (file, options) => {
  const operations = new Map<string, Seen>();
  return {
    observe({ operation: { operationId }, checks, durationMs }) {
      const seen = operations.get(operationId) ?? NOTHING;
      const all = seen.checks.union(new Set(checks));
      operations.set(operationId, { checks: all, durationMs: seen.durationMs + durationMs });
    },
    finish(result, problem) {
      const failures = (result?.failures ?? []).map((first) => ({ first, operationIds: [first.operationId] }));
      const all = listReasons(result, problem, options, failures);
      const reasons = Map.groupBy(all, ({ operationIds: [operationId = ''] }) => operationId);
      const suites = [...new Set([...operations.keys(), ...reasons.keys()])].map((name): JunitSuite => {
        const { checks, durationMs } = operations.get(name) ?? NOTHING;
        const found = Map.groupBy(reasons.get(name) ?? [], (reason) => reason.name);
        const cases = [...new Set([...checks, ...found.keys()])].map((check): JunitCase => {
          return { attributes: { classname: name, name: check }, failure: toFailure(found.get(check)) };
        });
        return { name, cases, seconds: durationMs / 1_000 };
      });
      file.write(formatJunit('contract', suites));
    },
  };
};

/** Combines the reasons of a test case, one per cause, into a failure. */
function toFailure([first, ...others]: readonly FailureReason[] = []): JunitCase['failure'] {
  return first && { type: first.name, message: first.message, text: [first, ...others].map(textOf).join('\n\n') };
}

function textOf({ text, page }: FailureReason): string {
  return page === undefined ? text : `${text}\n  about the check: ${page}`;
}
