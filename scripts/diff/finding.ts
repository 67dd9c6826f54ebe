// Rule names and levels follow oasdiff (https://github.com/oasdiff/oasdiff, checker/rules.go, 2026), but no code comes
// from there. Levels follow one principle: narrowing a request breaks clients that send the removed values, and widening a
// response breaks clients that do not expect the new ones.
//
// Additional rules: `*-additional-properties-closed` and `-opened`, `api-server-added` and `-removed`,
// `api-base-path-changed`, `request-property-wrapped-in-one-of`, `*-choices-changed`, and `*-changed` for keywords that
// are only compared as text (`not`, `if`, `contains`, …). Rules that oasdiff has for some places of a schema are used for
// all of them (`response-property-became-enum`).
//
// Levels that differ from oasdiff:
// - Removing an optional property or header of a response is WARN, as before 2026, not INFO: `required` is often
//   forgotten.
// - Changing a default of a request is WARN, not INFO: requests without the value change their meaning.
// - `api-security-added` is ERR, not INFO, when no authentication was required before.
// - `*-discriminator-*` follow the principle instead of being INFO.
// - `api-security-component-type-changed` is ERR, not INFO: existing credentials become invalid.

import type { Place } from './place.ts';

/** ERR breaks clients, WARN may break some, INFO breaks none. */
export type Level = 'ERR' | 'WARN' | 'INFO';

/** A difference between two documents that clients can notice. */
export type Finding = {
  readonly rule: string;
  readonly level: Level;
  /** A JSON pointer into the revision, or into the base for removed parts. */
  readonly pointer: string;
  /** `POST /pets`; absent for findings about the whole document. */
  readonly operation?: string | undefined;
  readonly message: string;
};

/** The direction of data: clients send requests, the service sends responses. */
export type Direction = 'request' | 'response';

/** The effect of a change on the set of allowed values; `unsure` when it is not known. */
export type Effect = 'narrows' | 'widens' | 'differs' | 'unsure' | 'none';

/** The level of a change of the allowed values. */
export const LEVELS: Readonly<Record<Direction, Readonly<Record<Effect, Level>>>> = {
  request: { narrows: 'ERR', widens: 'INFO', differs: 'ERR', unsure: 'WARN', none: 'INFO' },
  response: { narrows: 'INFO', widens: 'ERR', differs: 'ERR', unsure: 'WARN', none: 'INFO' },
};

/** Creates a finding about a place. */
export function finding(
  operation: string | undefined,
  rule: string,
  level: Level,
  { pointer }: Place,
  message: string,
): Finding {
  return { rule, level, pointer, operation, message };
}

/** Sorts findings by level and place, and removes duplicates. The order does not depend on that of the documents. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const keyed = new Map(findings.map((finding) => [sortKey(finding), finding]));
  return [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, finding]) => finding);
}

function sortKey({ rule, level, pointer, operation = '', message }: Finding): string {
  const rank = ['ERR', 'WARN', 'INFO'].indexOf(level);
  return [rank, operation, pointer, rule, message].join('\u0000');
}
