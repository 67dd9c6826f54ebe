import type { CreateReport } from './run-report.ts';

/** Writes a JSON line for each request. */
export const createNdjson: CreateReport = (file, { redactor }) => ({
  observe: ({ operation, testCase, request, response, startedAt, durationMs, failed }) => {
    const line = {
      operation: operation.operationId,
      kind: testCase.kind,
      description: testCase.description,
      method: request.method,
      target: redactor?.target(request.target) ?? request.target,
      status: response?.status ?? null,
      startedAt,
      durationMs: Math.round(durationMs * 1_000) / 1_000,
      failedChecks: failed.map(({ check }) => check),
    };
    file.write(`${JSON.stringify(line)}\n`);
  },
  finish: () => undefined,
});
