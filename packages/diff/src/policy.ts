import type { Finding, Level } from './finding.ts';
import type { Location } from './sources.ts';

/** An accepted finding. */
export type IgnoreEntry = {
  readonly rule: string;
  /** Absent for findings about the whole document, and with a pointer for all operations. */
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
  readonly ignored: readonly Finding[];
  /** The entries that hold, but match no finding. */
  readonly unused: readonly IgnoreEntry[];
  readonly expired: readonly IgnoreEntry[];
};

/** Changes the levels of findings, and removes the accepted ones. Judging twice is the same as once. */
export function judge({ ignore, levels }: Policy, findings: readonly Finding[], today: string): Judged {
  const valid = ignore.filter(({ until }) => today <= until);
  const isIgnored = (finding: Finding): boolean => valid.some((entry) => covers(entry, finding));
  return {
    kept: findings
      .filter((finding) => !isIgnored(finding))
      .map((finding) => ({ ...finding, level: levels.get(finding.rule) ?? finding.level })),
    ignored: findings.filter(isIgnored),
    unused: valid.filter((entry) => !findings.some((finding) => covers(entry, finding))),
    expired: ignore.filter((entry) => !valid.includes(entry)),
  };
}

function covers(entry: IgnoreEntry, { rule, operation, pointer, reference }: Finding): boolean {
  if (entry.rule !== rule) return false;
  if (entry.pointer !== undefined && ![pointer, reference?.pointer].includes(entry.pointer)) return false;
  return entry.operation === operation || (entry.operation === undefined && entry.pointer !== undefined);
}
