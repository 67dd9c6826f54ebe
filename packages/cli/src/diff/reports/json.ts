import type { Report } from './report.ts';

/** Formats changes as one JSON array. */
export const formatJson: Report = ({ changes }) => {
  const listed = changes.map(({ rule, level, operation, message, side, file, line, column, pointer }) => ({
    ...{ rule, level, operation, message },
    ...{ side, file, line, column, pointer },
  }));
  return `${JSON.stringify(listed, null, 2)}\n`;
};
