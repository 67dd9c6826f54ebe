import { levelOf, type Direction, type Effect, type Finding } from './finding.ts';
import type { Pair, Place } from './place.ts';

/** What a schema describes; rule names begin with it. */
export type Subject =
  | 'request-body'
  | 'request-property'
  | 'request-parameter'
  | 'request-parameter-property'
  | 'response-body'
  | 'response-property'
  | 'response-header';

/** Two conjunctions of schemas that are compared. */
export type Schemas = Pair<readonly Place[]>;

/** What the comparison of two schemas knows about where it is. */
export type Comparison = {
  readonly subject: Subject;
  /** For people: `request body /name`. */
  readonly name: string;
  readonly operation: string;
  /** Where to point at when nothing better is known. */
  readonly place: Place;
  /** Compares the schemas of a part of the value: a property, the items. */
  readonly part: (step: string, schemas: Schemas) => readonly Finding[];
  /** Compares two schemas for the same value: alternatives. */
  readonly same: (schemas: Schemas) => readonly Finding[];
};

/** Who sends what the subject describes. */
export function directionOf({ subject }: Pick<Comparison, 'subject'>): Direction {
  return subject.startsWith('request') ? 'request' : 'response';
}

/** A finding about the compared value as a whole. */
export function report(at: Comparison, aspect: string, effect: Effect, text: string, place = at.place): Finding {
  const rule = `${at.subject}-${aspect}`;
  const level = levelOf(directionOf(at), effect);
  return { rule, level, pointer: place.pointer, operation: at.operation, message: `${at.name}: ${text}` };
}
