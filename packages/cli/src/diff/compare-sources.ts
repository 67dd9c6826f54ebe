import { locate, type Change } from './change.ts';
import { compareDocuments } from './documents.ts';
import { LEVEL_ORDER, sortFindings } from './finding.ts';
import type { Pair } from './node.ts';
import { judge, type IgnoreEntry, type Policy } from './policy.ts';
import type { Source } from './sources.ts';
import { compareVersions, versionOf } from './version.ts';

/** The result of a comparison. */
export type Compared = {
  /** Most severe first. */
  readonly changes: readonly Change[];
  /** The number of findings that the policy accepts. */
  readonly ignored: number;
  /** `info.version` of both documents. */
  readonly versions: Pair<string>;
};

/**
 * Compares two documents and their versions under a policy. Its entries that are of no use are findings, too.
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
    return { rule, level: policy.levels.get(rule) ?? 'WARN', message, ...location };
  };
  const changes = [
    ...expired.map((entry) => stale('ignore-entry-expired', entry, `${nameOf(entry)} expired on ${entry.until}`)),
    ...unused.map((entry) => stale('ignore-entry-unused', entry, `${nameOf(entry)} matches no finding`)),
    ...sortFindings(kept).map((finding) => locate(sources, finding)),
  ];
  return {
    changes: changes.sort((a, b) => LEVEL_ORDER.indexOf(a.level) - LEVEL_ORDER.indexOf(b.level)),
    ignored,
    versions: { base: versionOf(documents.base), revision: versionOf(documents.revision) },
  };
}

function nameOf({ rule, operation }: IgnoreEntry): string {
  return `the entry for ${rule}${operation === undefined ? '' : ` in ${operation}`}`;
}
