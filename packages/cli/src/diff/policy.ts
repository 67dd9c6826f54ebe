import type { Finding, Level } from './finding.ts';
import type { Location } from './sources.ts';

/** An accepted finding. */
export type IgnoreEntry = {
  readonly rule: string;
  /** Absent for findings about the whole document. */
  readonly operation?: string | undefined;
  /** Absent for all findings of the rule in the operation. */
  readonly pointer?: string | undefined;
  readonly reason: string;
  /** The last day on which the entry holds: `2026-12-31`. */
  readonly until: string;
  /** The location of the entry itself. */
  readonly location: Location & { readonly pointer: string };
};

/** The decisions of a team about findings. */
export type Policy = { readonly ignore: readonly IgnoreEntry[]; readonly levels: ReadonlyMap<string, Level> };

/** Findings after a policy. */
export type Judged = {
  readonly kept: readonly Finding[];
  readonly ignored: number;
  /** The entries that hold, but match no finding. */
  readonly unused: readonly IgnoreEntry[];
  readonly expired: readonly IgnoreEntry[];
};

/** Changes the levels of findings, and removes the accepted ones. Judging twice is the same as once. */
export function judge({ ignore, levels }: Policy, findings: readonly Finding[], today: string): Judged {
  const valid = ignore.filter(({ until }) => today <= until);
  const covers = (entry: IgnoreEntry, { rule, operation, pointer }: Finding): boolean =>
    entry.rule === rule && entry.operation === operation && (entry.pointer ?? pointer) === pointer;
  const kept = findings
    .filter((finding) => !valid.some((entry) => covers(entry, finding)))
    .map((finding) => ({ ...finding, level: levels.get(finding.rule) ?? finding.level }));
  return {
    kept,
    ignored: findings.length - kept.length,
    unused: valid.filter((entry) => !findings.some((finding) => covers(entry, finding))),
    expired: ignore.filter((entry) => !valid.includes(entry)),
  };
}
