import { finding, LEVELS, type Direction, type Effect, type Finding } from './finding.ts';
import type { Pair, Node } from './node.ts';

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

/** The context of a comparison of two schemas. */
export type Comparison = {
  readonly subject: Subject;
  /** The name of the value in messages: `request body /name`. */
  readonly name: string;
  readonly operation: string;
  /** The current date, `2026-12-31`. */
  readonly today: string;
  /** How the value is written as text, not as JSON: once, or in pairs that may be repeated for a list. */
  readonly text?: 'once' | 'repeatable' | undefined;
  /** The node of findings without a more specific one. */
  readonly node: Node;
  /** Compares the schemas of a part of the value: of a property or of the items. */
  readonly part: (step: string, schemas: Schemas) => readonly Finding[];
  /** Compares two schemas of the same value, such as alternatives. */
  readonly same: (schemas: Schemas) => readonly Finding[];
};

/** Returns the direction in which the subject is sent. */
export function directionOf({ subject }: Pick<Comparison, 'subject'>): Direction {
  return subject.startsWith('request') ? 'request' : 'response';
}

/** Creates a finding about the compared value as a whole. */
export function report(at: Comparison, aspect: string, effect: Effect, text: string, node = at.node): Finding {
  const level = LEVELS[directionOf(at)][effect];
  return finding(at.operation, `${at.subject}-${aspect}`, level, node, `${at.name}: ${text}`);
}
