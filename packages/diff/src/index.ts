/**
 * Finds the changes between two documents that clients can notice.
 *
 * @module @contract-first/diff
 */

export { compareDocuments } from './operations/documents.ts';
export type { Finding } from './rules/finding.ts';
export { familyOf, RULE_FAMILIES } from './rules/families.ts';
export { RULES } from './rules/rules.ts';
