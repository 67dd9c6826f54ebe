import { formatSarif, pageAddress } from '@contract-first/command-line/reports';
import { VERSION } from '@contract-first/command-line/terminal';
import { CHECK_TEXTS } from '../judgement/check-texts.ts';
import { nameOperations } from '../judgement/failures.ts';
import { listReasons } from './reasons.ts';
import type { CreateReport } from './run-report.ts';

/** Writes the findings as SARIF at the end of the run. Each is at the line of its first operation. */
export const createSarif: CreateReport = (file, options) => ({
  observe: () => undefined,
  finish(result, problem) {
    const findings = listReasons(result, problem, options).map(({ name, page, place, operationIds, message }) => ({
      rule: {
        name,
        meaning: Object.entries(CHECK_TEXTS).find(([check]) => check === name)?.[1].meaning ?? message,
        address: page ?? pageAddress('tools/check'),
      },
      level: 'error' as const,
      message: `${nameOperations(operationIds)}: ${message}`,
      file: place?.file ?? 'openapi.yaml',
      line: place?.line ?? 1,
    }));
    file.write(formatSarif('contract-first check', VERSION, findings));
  },
});
