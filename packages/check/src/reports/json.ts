import { listReasons } from './reasons.ts';
import type { CreateReport } from './run-report.ts';
import { summarizeRun } from './text.ts';

/** Writes the result as one JSON value at the end of the run. */
export const createJson: CreateReport = (file, options) => ({
  observe: () => undefined,
  finish(result, problem) {
    const findings = listReasons(result, problem, options).map(({ name, page, place, operationIds, message, text }) => {
      const { file, line } = place ?? {};
      return { check: name, page, file, line, operations: operationIds, message, evidence: text };
    });
    const report = {
      summary: result === undefined ? null : summarizeRun(result),
      seed: result?.seed ?? null,
      operations: result?.operations ?? [],
      requests: result?.requests ?? 0,
      findings,
      notes: result?.notes ?? [],
    };
    file.write(`${JSON.stringify(report, null, 2)}\n`);
  },
});
