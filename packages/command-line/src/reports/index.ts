/**
 * Formats of reports: JUnit, Markdown, annotations of GitHub.
 *
 * @module @contract-first/command-line/reports
 */

export { formatJunit, type JunitCase, type JunitSuite } from './junit.ts';
export { escapeHtml, escapeMarkdown, formatTable } from './markdown.ts';
export { joinFirst, shorten } from './shorten.ts';
export { formatWorkflowCommand } from './workflow-command.ts';
