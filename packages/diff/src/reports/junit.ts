import { formatJunit as format, type JunitCase } from '@contract-first/command-line/reports';
import type { Change } from '../change.ts';
import { pagesOf } from '../rules/families.ts';
import { formatOperations, type Report } from './report.ts';
import { formatChange } from './text.ts';

const NAME = 'contract:diff';

/** Formats changes as JUnit test cases. Changes with a failing level are failures. */
export const formatJunitReport: Report = ({ changes, fails }) => {
  const cases = changes.map((change) => caseOf(change, fails(change.level)));
  return format(NAME, [{ name: NAME, cases }]);
};

function caseOf(change: Change, isFailure: boolean): JunitCase {
  const { level, findings, file, line, pointer } = change;
  const classname = formatOperations(change) || 'the whole document';
  const message = findings.map((finding) => finding.message)[0] ?? '';
  const attributes = { classname, name: `${pointer}: ${message}`, file, line };
  const text = [formatChange(change), ...pagesOf([change]).map((page) => `about the rules: ${page}\n`)].join('');
  return isFailure ? { attributes, failure: { type: level, message, text } } : { attributes, output: text };
}
