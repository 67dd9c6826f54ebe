import { finding, LEVELS, type Direction, type Effect, type Finding, type Scope } from './finding.ts';
import type { Node, Pair } from '../nodes/node.ts';

/** The kind of value that a schema describes; rule names begin with it. */
export type Subject =
  | 'request-body'
  | 'request-property'
  | 'request-parameter'
  | 'request-parameter-property'
  | 'response-body'
  | 'response-property'
  | 'response-header';

/** Two conjunctions of schemas that are compared. */
export type Schemas = Pair<readonly Node[]>;

/** A value that a pair of schemas describes. */
export type Described = Scope & {
  readonly subject: Subject;
  /** How the value is written as text, not as JSON: once, or in pairs that may be repeated for a list. */
  readonly text?: 'once' | 'repeatable' | undefined;
  /** The node of findings without a more specific one. */
  readonly node: Node;
};

/** The context of a comparison of two schemas. */
export type Comparison = Described & {
  /** Compares the schemas of a part of the value: of a property or of the items. */
  readonly part: (step: string, schemas: Schemas) => readonly Finding[];
  /** Compares two schemas of the same value, such as alternatives. */
  readonly same: (schemas: Schemas) => readonly Finding[];
};

/** Returns the direction in which the subject is sent. */
export function directionOf({ subject }: Pick<Described, 'subject'>): Direction {
  return subject.startsWith('request') ? 'request' : 'response';
}

/** Creates a finding about the compared value. */
export function report(at: Described, aspect: string, effect: Effect, change: string, node = at.node): Finding {
  return finding(at, `${at.subject}-${aspect}`, LEVELS[directionOf(at)][effect], node, change);
}

/** Returns the effect of a limit that is gone: most clients do not check it in responses, but some validate them. */
export function looseningOf(at: Described): Effect {
  return directionOf(at) === 'request' ? 'widens' : 'unsure';
}
