import { fileName, type Change } from '../change.ts';
import type { Report } from './report.ts';

/** Formats changes as test cases of JUnit; those with a failing level are failures. */
export const formatJunit: Report = ({ changes, fails }) => {
  const failures = changes.filter(({ level }) => fails(level)).length;
  const counts = `tests="${String(changes.length)}" failures="${String(failures)}"`;
  const cases = changes.map((change) => formatCase(change, fails(change.level)));
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="contract:diff" ${counts}>`,
    `  <testsuite name="contract:diff" ${counts}>`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
    '',
  ].join('\n');
};

function formatCase(change: Change, isFailure: boolean): string {
  const { level, rule, operation = 'the whole document', message, file, line, pointer } = change;
  const opening = `    <testcase classname="${escape(operation)}" name="${escape(`${rule}: ${message}`)}" file="${escape(file)}" line="${String(line)}"`;
  const text = escape(`${level} ${rule} ${fileName(change)}:${String(line)} ${pointer}`);
  return isFailure
    ? `${opening}><failure type="${level}" message="${escape(message)}">${text}</failure></testcase>`
    : `${opening}><system-out>${text}</system-out></testcase>`;
}

/** Escapes text for XML 1.0, which has no control characters but tab and line ends. */
function escape(text: string): string {
  return (
    text
      .toWellFormed()
      // eslint-disable-next-line no-control-regex -- The characters to replace.
      .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
      .replaceAll(/[&<>"\t\n\r]/g, (character) => `&#${String(character.charCodeAt(0))};`)
  );
}
