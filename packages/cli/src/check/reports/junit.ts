import { formatJunit, type JunitCase, type JunitSuite } from '../../reports/junit.ts';
import type { CheckName } from '../checks.ts';
import { listFindings, type Finding } from './findings.ts';
import type { CreateReport } from './run-report.ts';

type Seen = { readonly checks: ReadonlySet<CheckName>; readonly durationMs: number };

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
      const findings = Map.groupBy(listFindings(result, problem, options), ({ operationId }) => operationId);
      const suites = [...new Set([...operations.keys(), ...findings.keys()])].map((name): JunitSuite => {
        const { checks, durationMs } = operations.get(name) ?? NOTHING;
        const found = new Map(findings.get(name)?.map((finding) => [finding.name, finding]));
        const cases = [...new Set([...checks, ...found.keys()])].map((check): JunitCase => {
          return { attributes: { classname: name, name: check }, failure: toFailure(found.get(check)) };
        });
        return { name, cases, seconds: durationMs / 1_000 };
      });
      file.write(formatJunit('contract', suites));
    },
  };
};

function toFailure(finding: Finding | undefined): JunitCase['failure'] {
  return finding && { type: finding.name, message: finding.message, text: finding.text };
}
