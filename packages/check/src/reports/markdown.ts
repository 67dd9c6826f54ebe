import { escapeHtml, escapeMarkdown, formatTable } from '@contract-first/command-line/reports';
import { nameOperations } from '../judgement/failures.ts';
import { summarizeRun } from './text.ts';
import { listReasons } from './reasons.ts';
import type { CreateReport } from './run-report.ts';

/** Writes a summary, a table of the findings, and their evidence at the end of the run. */
export const createMarkdown: CreateReport = (file, options) => ({
  observe: () => undefined,
  finish(result, problem) {
    const reasons = listReasons(result, problem, options);
    const rows = reasons.map(({ operationIds, name, message }) => [
      escapeMarkdown(operationIds.join(', ')),
      `\`${name}\``,
      escapeMarkdown(message),
    ]);
    const evidence = reasons
      .filter(({ text, message }) => text !== message)
      .map((reason) => {
        const title = `${nameOperations(reason.operationIds)}: ${reason.name}`;
        return `\n<details><summary>${escapeHtml(title)}</summary>\n<pre>${escapeHtml(reason.text)}</pre>\n</details>\n`;
      });
    file.write(`**${result === undefined ? 'not checked' : summarizeRun(result)}**\n`);
    if (rows.length > 0) file.write(`\n${formatTable(['Operation', 'Check', 'Problem'], rows)}${evidence.join('')}`);
  },
});
