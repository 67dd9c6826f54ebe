import type { ContractResult } from '../run/contract-result.ts';
import type { Observer } from '../judgement/observation.ts';
import type { ReportOptions } from './text.ts';
import type { ReportFile } from './report-file.ts';

/** A report on a run, which is written to a file. */
export type RunReport = {
  readonly observe: Observer;
  /** Writes the rest. Without a result, the run has failed because of a problem. */
  readonly finish: (result: ContractResult | undefined, problem: string | undefined) => void;
};

/** Starts a report. */
export type CreateReport = (file: ReportFile, options: ReportOptions) => RunReport;
