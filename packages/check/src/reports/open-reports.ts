import type { CheckObserver } from '../judgement/observation.ts';
import type { ContractResult } from '../run/contract-result.ts';
import { createCoverageReport } from './coverage.ts';
import { createGithub } from './github.ts';
import { createHar } from './har.ts';
import { createJson } from './json.ts';
import { createJunit } from './junit.ts';
import { createMarkdown } from './markdown.ts';
import { createSarif } from './sarif.ts';
import { createNdjson } from './ndjson.ts';
import { type CreateReport, openReportFile } from './run-report.ts';
import type { ReportOptions } from './text.ts';

/** The kinds of reports. */
export const REPORT_KINDS = ['junit', 'json', 'har', 'ndjson', 'coverage', 'github', 'markdown', 'sarif'] as const;
type ReportKind = (typeof REPORT_KINDS)[number];

/** A report and the path of its file. */
export type ReportTarget = { readonly kind: ReportKind; readonly path: string };

const CREATORS: Readonly<Record<ReportKind, CreateReport>> = {
  junit: createJunit,
  json: createJson,
  har: createHar,
  ndjson: createNdjson,
  coverage: createCoverageReport,
  github: createGithub,
  markdown: createMarkdown,
  sarif: createSarif,
};

/** The reports of a run. */
export type Reports = {
  /** Starts the reports. Call it before the first request. */
  readonly start: (options: ReportOptions) => CheckObserver;
  /** Completes the reports and closes the files. Without a result, reports the problem that prevented the run. */
  readonly finish: (result: ContractResult | undefined, problem: string | undefined) => void;
};

/**
 * Opens the report files.
 *
 * @throws {CannotCheck} if a file cannot be written
 */
export function openReports(targets: readonly ReportTarget[]): Reports {
  const files = targets.map(({ kind, path }) => ({ create: CREATORS[kind], file: openReportFile(path) }));
  let reports: readonly ReturnType<CreateReport>[] = [];
  return {
    start(options) {
      reports = files.map(({ create, file }) => create(file, options));
      return (observation) => {
        for (const { observe } of reports) observe(observation);
      };
    },
    finish(result, problem) {
      const errors = reports.map(({ finish }) => attempt(finish, result, problem));
      for (const { file } of files) file.close();
      for (const error of errors) if (error !== undefined) throw error;
    },
  };
}

/** Calls a function. Returns the error that it throws, or `undefined`. */
function attempt<Args extends readonly unknown[]>(act: (...args: Args) => void, ...args: Args): Error | undefined {
  try {
    act(...args);
    return undefined;
  } catch (error) {
    return error as Error; // No other values are thrown.
  }
}
