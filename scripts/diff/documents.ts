import type { OpenApiDocument } from '../contract/load.ts';
import { sortFindings, type Finding } from './finding.ts';
import { compareOperations } from './operations.ts';

/**
 * Everything in which the newer document differs from the base for clients, worst first; nothing when only order,
 * wording, names of components or the way schemas are put together have changed.
 * Callbacks, and what webhooks send, are not looked at.
 *
 * @param today `2026-12-31`: what may be removed because its sunset is past
 */
export function compareDocuments(base: OpenApiDocument, revision: OpenApiDocument, today: string): readonly Finding[] {
  return sortFindings(compareOperations({ base, revision }, today));
}
