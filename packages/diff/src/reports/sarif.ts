import { formatSarif } from '@contract-first/command-line/reports';
import { VERSION } from '@contract-first/command-line/terminal';
import { rulePage } from '../rules/families.ts';
import { RULES } from '../rules/rules.ts';
import { formatOperations, type Report } from './report.ts';

const LEVELS = { ERR: 'error', WARN: 'warning', INFO: 'note' } as const;

/** Formats findings as SARIF. The line of a removed part is its line in the base. */
export const formatSarifReport: Report = ({ changes }) =>
  formatSarif(
    'contract-first diff',
    VERSION,
    changes.flatMap((change) =>
      change.findings.map(({ rule, level, message }) => ({
        rule: { name: rule, meaning: RULES.get(rule)?.meaning ?? rule, address: rulePage(rule) },
        level: LEVELS[level],
        message: change.operations.length === 0 ? message : `${formatOperations(change)}: ${message}`,
        file: change.file,
        line: change.line,
        column: change.column,
      })),
    ),
  );
