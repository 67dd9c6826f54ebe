/**
 * Formats reports: JUnit, SARIF, Markdown and GitHub annotations.
 *
 * @module @contract-first/command-line/reports
 */

export { formatJunit, type JunitCase, type JunitSuite } from './junit.ts';
export { escapeHtml, escapeMarkdown, formatTable } from './markdown.ts';
export { pageAddress } from './page-address.ts';
export { formatSarif, type SarifFinding } from './sarif.ts';
export { joinFirst, shorten } from './shorten.ts';
export { formatWorkflowCommand } from './workflow-command.ts';
