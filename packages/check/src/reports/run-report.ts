import { closeSync, openSync, writeSync } from 'node:fs';
import { describeSystemError } from '@contract-first/contract';
import { CannotCheck } from '@contract-first/model/values';
import type { CheckObserver } from '../judgement/observation.ts';
import type { ContractResult } from '../run/contract-result.ts';
import type { ReportOptions } from './text.ts';

/** A report on a run, written to a file. */
export type RunReport = {
  readonly observe: CheckObserver;
  /** Completes the report. Without a result, reports the problem that prevented the run. */
  readonly finish: (result: ContractResult | undefined, problem: string | undefined) => void;
};

/** Starts a report. */
export type CreateReport = (file: ReportFile, options: ReportOptions) => RunReport;

/** A file for sequential writes. */
type ReportFile = {
  /** Appends a text synchronously, so that an interruption loses nothing. @throws {CannotCheck} if it fails */
  readonly write: (text: string) => void;
  readonly close: () => void;
};

/** The path that stands for standard output. */
export const STANDARD_OUTPUT = '-';

/** Creates or truncates a file. @throws {CannotCheck} if it fails */
export function openReportFile(path: string): ReportFile {
  if (path === STANDARD_OUTPUT) return { write: (text) => process.stdout.write(text), close: () => undefined };
  const file = attempt(() => openSync(path, 'w'));
  return {
    write(text) {
      const bytes = Buffer.from(text);
      let written = 0;
      while (written < bytes.length) written += attempt(() => writeSync(file, bytes, written));
    },
    close() {
      closeSync(file);
    },
  };

  function attempt<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (error) {
      throw new CannotCheck(`the report ${path} cannot be written: ${describeSystemError(error)}`, { cause: error });
    }
  }
}
