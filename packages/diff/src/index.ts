/**
 * The changes between two documents that clients can notice.
 *
 * @module @contract-first/diff
 */

export { compareDocuments } from './documents.ts';
export type { Finding } from './finding.ts';
export { RULES } from './rules.ts';
