import { closeSync, openSync, writeSync } from 'node:fs';
import { CannotCheck } from '@contract-first/model/values';
import type { Observer } from '../judgement/observation.ts';
import type { ContractResult } from '../run/contract-result.ts';
import type { ReportOptions } from './text.ts';

/** A report on a run, which is written to a file. */
export type RunReport = {
  readonly observe: Observer;
  /** Writes the rest. Without a result, the run has failed because of a problem. */
  readonly finish: (result: ContractResult | undefined, problem: string | undefined) => void;
};

/** Starts a report. */
export type CreateReport = (file: ReportFile, options: ReportOptions) => RunReport;

/** A file that is written from its start to its end. */
type ReportFile = {
  /** Appends a text at once, so that an interruption loses none. @throws {CannotCheck} when that fails */
  readonly write: (text: string) => void;
  readonly close: () => void;
};

/** Creates an empty file, or empties one. @throws {CannotCheck} when that fails */
export function openReportFile(path: string): ReportFile {
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
      throw new CannotCheck(`the report ${path} cannot be written: ${(error as Error).message}`, { cause: error });
    }
  }
}
