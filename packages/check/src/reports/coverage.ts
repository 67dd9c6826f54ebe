import type { CreateReport } from './run-report.ts';

/** Writes the coverage of each operation as JSON at the end of the run. */
export const createCoverageReport: CreateReport = (file) => ({
  observe: () => undefined,
  finish: (result) => {
    file.write(`${JSON.stringify(result?.coverage ?? [], undefined, 2)}\n`);
  },
});
