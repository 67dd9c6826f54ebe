import { rulePage } from '../rules/families.ts';
import type { Report } from './report.ts';

/** Formats changes as one JSON array. */
export const formatJson: Report = ({ changes }) => {
  const listed = changes.map(({ level, side, file, line, column, pointer, reference, findings, operations }) => ({
    level,
    side,
    file,
    line,
    column,
    pointer,
    reference,
    findings: findings.map((finding) => ({ ...finding, page: rulePage(finding.rule) })),
    operations,
  }));
  return `${JSON.stringify(listed, null, 2)}\n`;
};
