import { escapeHtml, escapeMarkdown, formatTable } from '../../reports/markdown.ts';
import { summarize } from '../report.ts';
import { listFindings } from './findings.ts';
import type { CreateReport } from './run-report.ts';

/** Writes a summary, a table of the findings and their evidence, at the end of the run. */
export const createMarkdown: CreateReport = (file, options) => ({
  observe: () => undefined,
  finish(result, problem) {
    const findings = listFindings(result, problem, options);
    const rows = findings.map(({ operationId, name, message }) => [
      escapeMarkdown(operationId),
      `\`${name}\``,
      escapeMarkdown(message),
    ]);
    const evidence = findings
      .filter(({ text, message }) => text !== message)
      .map(
        ({ operationId, name, text }) =>
          `\n<details><summary>${escapeHtml(`${operationId}: ${name}`)}</summary>\n<pre>${escapeHtml(text)}</pre>\n</details>\n`,
      );
    file.write(`**${result === undefined ? 'contract: not checked' : summarize(result)}**\n`);
    if (rows.length > 0) file.write(`\n${formatTable(['Operation', 'Check', 'Problem'], rows)}${evidence.join('')}`);
  },
});
