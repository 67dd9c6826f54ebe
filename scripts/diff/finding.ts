// The names of the rules are oasdiff's (https://github.com/oasdiff/oasdiff, checker/rules.go, 2026), and so is the law
// behind the levels: who sends the data decides what breaks. A request that is narrowed refuses what clients send; a
// response that is widened holds what clients don't know. Only the names and the levels come from there.
//
// Rules of our own, where oasdiff has none: `*-additional-properties-closed` and `-opened`, `api-server-added` and
// `-removed`, `api-base-path-changed`, `request-property-wrapped-in-one-of`, `*-choices-changed`, and `*-changed` for
// keywords that are only compared as text (`not`, `if`, `contains`, …). Where oasdiff has a rule for some places of a
// schema only, its name is used for the others as well (`response-property-became-enum`).
//
// Levels that are not oasdiff's:
// - Removing an optional property or header of a response is WARN, as in its releases before 2026, not INFO: often
//   `optional` only means that nobody wrote `required`.
// - Changing a default of a request is WARN, not INFO: a request that leaves it out means something else from now on.
// - `api-security-added` is ERR, not INFO, where no authentication was needed before.
// - `*-discriminator-*` follow the law, too, instead of INFO.
// - `api-security-component-type-changed` is ERR, not INFO: the credentials clients have don't work any more.

/** ERR breaks clients, WARN may break some, INFO breaks none. */
export type Level = 'ERR' | 'WARN' | 'INFO';

/** One difference between two documents that clients can notice. */
export type Finding = {
  readonly rule: string;
  readonly level: Level;
  /** JSON pointer into the newer document, or into the base where the newer one has nothing to point at. */
  readonly pointer: string;
  /** `POST /plants`; absent where the finding is about the whole document. */
  readonly operation?: string;
  readonly message: string;
};

/** Who sends the data: clients a request, the service a response. */
export type Direction = 'request' | 'response';

/** What a change does to the set of allowed values; `unsure` where that cannot be told. */
export type Effect = 'narrows' | 'widens' | 'differs' | 'unsure' | 'none';

const LEVELS: Readonly<Record<Direction, Readonly<Record<Effect, Level>>>> = {
  request: { narrows: 'ERR', widens: 'INFO', differs: 'ERR', unsure: 'WARN', none: 'INFO' },
  response: { narrows: 'INFO', widens: 'ERR', differs: 'ERR', unsure: 'WARN', none: 'INFO' },
};

/** How bad a change of the allowed values is for clients. */
export function levelOf(direction: Direction, effect: Effect): Level {
  return LEVELS[direction][effect];
}

/** The findings without repetitions, worst first, otherwise in an order that does not depend on the documents' order. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const keyed = new Map(findings.map((finding) => [sortKey(finding), finding]));
  return [...keyed].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, finding]) => finding);
}

function sortKey({ rule, level, pointer, operation = '', message }: Finding): string {
  const rank = ['ERR', 'WARN', 'INFO'].indexOf(level);
  return [rank, operation, pointer, rule, message].join('\u0000');
}
