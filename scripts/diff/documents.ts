import type { OpenApiDocument } from '../contract/load.ts';
import { sortFindings, type Finding } from './finding.ts';
import { compareOperations } from './operations.ts';

/**
 * Lists the differences between two documents that clients can notice, most severe first. Changes of order, descriptions,
 * component names and the structure of equivalent schemas are no differences. Callbacks and the content of webhooks are
 * ignored.
 *
 * @param today the current date, `2026-12-31`: operations may be removed after their sunset
 */
export function compareDocuments(base: OpenApiDocument, revision: OpenApiDocument, today: string): readonly Finding[] {
  return sortFindings(compareOperations({ base, revision }, today));
}
