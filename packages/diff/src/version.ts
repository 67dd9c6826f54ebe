import { finding, type Finding } from './rules/finding.ts';
import { child, rootOf, textAt, type Pair } from './nodes/node.ts';
import type { OpenApiDocument } from '@contract-first/documents';

/** Major, minor and patch. */
type Version = readonly [number, number, number];

/** https://semver.org: the parts before a prerelease or build. */
const SEMVER = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+][\w.+-]+)?$/;

/**
 * Checks that `info.version` follows from the changes: breaking ones need a new major version, or a new minor version
 * below 1.0.0, and any other change a new version. Versions that are not semantic versions are not compared.
 */
export function compareVersions(
  { base, revision }: Pair<OpenApiDocument>,
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
  if (order < 0) return found('api-version-decreased', `version ${String(from)} became ${String(to)}, a lower one`);
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
export function versionOf(document: OpenApiDocument): string {
  return textAt(child(rootOf(document), 'info'), 'version') ?? '';
}

function readVersion(text: string | undefined): Version | undefined {
  const [, major, minor, patch] = SEMVER.exec(text ?? '') ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch)];
}

function orderOf(before: Version, after: Version): number {
  return after.map((part, index) => part - (before[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
}

/** Whether the major version is new, or the minor one, which takes its role below 1.0.0. */
function isMajor([major, minor]: Version, [newMajor, newMinor]: Version): boolean {
  return newMajor > major || (major === 0 && newMinor > minor);
}
