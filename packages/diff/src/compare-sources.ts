import { groupFindings, sortChanges, type Change } from './change.ts';
import { compareDocuments } from './operations/documents.ts';
import { sortFindings } from './rules/finding.ts';
import type { Pair } from './nodes/node.ts';
import { judge, type IgnoreEntry, type Policy } from './sources/policy.ts';
import type { Source } from './sources/sources.ts';
import { compareVersions, versionOf } from './version.ts';

/** The result of a comparison. */
export type Compared = {
  /** Most severe first. */
  readonly changes: readonly Change[];
  /** The number of changes that the policy accepts. */
  readonly ignored: number;
  /** `info.version` of both documents. */
  readonly versions: Pair<string>;
};

/**
 * Compares two documents and their versions under a policy. Its entries that are of no use are changes, too.
 *
 * @param today the current date, `2026-12-31`: entries expire, and operations may be removed after their sunset
 */
export function compareSources(sources: Pair<Source>, policy: Policy, today: string): Compared {
  const documents = { base: sources.base.document, revision: sources.revision.document };
  const found = compareDocuments(documents.base, documents.revision, today);
  // Accepted findings need no new version.
  const ofVersions = compareVersions(documents, judge(policy, found, today).kept);
  const { kept, ignored, unused, expired } = judge(policy, [...found, ...ofVersions], today);

  const stale = (rule: string, { location }: IgnoreEntry, message: string): Change => {
    const level = policy.levels.get(rule) ?? 'WARN';
    return { level, findings: [{ rule, level, message }], operations: [], ...location };
  };
  const changes = [
    ...expired.map((entry) => stale('ignore-entry-expired', entry, `${nameOf(entry)} expired on ${entry.until}`)),
    ...unused.map((entry) => stale('ignore-entry-unused', entry, `${nameOf(entry)} matches no finding`)),
    ...groupFindings(sources, sortFindings(kept)),
  ];
  return {
    changes: sortChanges(changes),
    ignored: groupFindings(sources, ignored).length,
    versions: { base: versionOf(documents.base), revision: versionOf(documents.revision) },
  };
}

function nameOf({ rule, operation }: IgnoreEntry): string {
  return `the entry for ${rule}${operation === undefined ? '' : ` in ${operation}`}`;
}
