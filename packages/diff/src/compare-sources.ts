import type { OpenApiDocument } from '@contract-first/documents';
import { type Change, groupFindings, sortChanges } from './change.ts';
import { child, type NodePair, rootOf, textAt } from './nodes/node.ts';
import { compareDocuments } from './operations/documents.ts';
import { finding, type Finding, sortFindings } from './rules/finding.ts';
import { type IgnoreEntry, applyPolicy, type Policy } from './sources/policy.ts';
import type { DocumentSource } from './sources/sources.ts';

/** The result of a comparison. */
export type ComparisonResult = {
  /** The changes, most severe first. */
  readonly changes: readonly Change[];
  /** The number of changes accepted by the policy. */
  readonly ignored: number;
  /** The `info.version` of both documents. */
  readonly versions: NodePair<string>;
};

/**
 * Compares two documents and their versions with a policy. Unused policy entries are reported as changes.
 *
 * @param today the current date, `2026-12-31`, for expired policy entries and for removals after a sunset
 */
export function compareSources(sources: NodePair<DocumentSource>, policy: Policy, today: string): ComparisonResult {
  const documents = { base: sources.base.document, revision: sources.revision.document };
  const found = compareDocuments(documents.base, documents.revision, today);
  // Accepted findings need no new version.
  const ofVersions = compareVersions(documents, applyPolicy(policy, found, today).kept);
  const { kept, ignored, unused, expired } = applyPolicy(policy, [...found, ...ofVersions], today);

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

/** Major, minor and patch. */
type Version = readonly [number, number, number];

/** Matches a semantic version (https://semver.org) and captures major, minor and patch. */
const SEMVER = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+][\w.+-]+)?$/;

/**
 * Checks that `info.version` matches the changes: breaking changes need a new major version, or a new minor version
 * below 1.0.0; other changes need any new version. Skips versions that are not semantic versions.
 */
function compareVersions(
  { base, revision }: NodePair<OpenApiDocument>,
  changes: readonly Finding[],
): readonly Finding[] {
  const node = child(child(rootOf(revision), 'info'), 'version');
  const [from, to] = [base, revision].map(versionOf);
  const [before, after] = [from, to].map(readVersion);
  if (node === undefined || before === undefined || after === undefined || changes.length === 0) return [];
  const found = (rule: string, change: string): readonly Finding[] => [
    finding({ name: '' }, rule, 'INFO', node, change),
  ];
  const isBreaking = changes.some(({ level }) => level === 'ERR');
  const order = orderOf(before, after);
  if (order < 0) return found('api-version-decreased', `version ${String(from)} became ${String(to)}, which is lower`);
  if (from === to) {
    const kind = isBreaking ? 'breaks clients' : 'was changed';
    return found('api-version-not-bumped', `the document ${kind}, but is still version ${String(to)}`);
  }
  if (!isBreaking || isMajor(before, after)) return [];
  const part = before[0] === 0 ? 'minor' : 'major';
  const text = `the document breaks clients, but from ${String(from)} to ${String(to)} the ${part} version is the same`;
  return found('api-major-version-not-bumped', text);
}

/** Returns `info.version`. */
function versionOf(document: OpenApiDocument): string {
  return textAt(child(rootOf(document), 'info'), 'version') ?? '';
}

function readVersion(text: string | undefined): Version | undefined {
  const [, major, minor, patch] = SEMVER.exec(text ?? '') ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function orderOf(before: Version, after: Version): number {
  return after.map((part, index) => part - (before[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Returns whether the major version was raised, or, below 1.0.0, the minor version. */
function isMajor([major, minor]: Version, [newMajor, newMinor]: Version): boolean {
  return newMajor > major || (major === 0 && newMinor > minor);
}
