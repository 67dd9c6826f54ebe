import * as junit from '../../reports/junit.ts';
import { fileName, type Change } from '../change.ts';
import type { Report } from './report.ts';

const NAME = 'contract:diff';

/** Formats changes as test cases of JUnit; those with a failing level are failures. */
export const formatJunit: Report = ({ changes, fails }) => {
  const cases = changes.map((change) => caseOf(change, fails(change.level)));
  return junit.formatJunit(NAME, [{ name: NAME, cases }]);
};

function caseOf(change: Change, isFailure: boolean): junit.JunitCase {
  const { level, rule, operation = 'the whole document', message, file, line, pointer } = change;
  const attributes = { classname: operation, name: `${rule}: ${message}`, file, line };
  const text = `${level} ${rule} ${fileName(change)}:${String(line)} ${pointer}`;
  return isFailure ? { attributes, failure: { type: level, message, text } } : { attributes, output: text };
}
