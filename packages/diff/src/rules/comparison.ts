import {
  finding,
  LEVEL_OF_EFFECT,
  type MessageDirection,
  type Effect,
  type Finding,
  type FindingContext,
} from './finding.ts';
import type { Node, NodePair } from '../nodes/node.ts';

/** The kind of a described value, which is the prefix of rule names. */
export type Subject =
  | 'request-body'
  | 'request-property'
  | 'request-parameter'
  | 'request-parameter-property'
  | 'response-body'
  | 'response-property'
  | 'response-header';

/** A compared request or response body. */
export type BodyScope = FindingContext & { readonly subject: Extract<Subject, 'request-body' | 'response-body'> };

/** Two compared conjunctions of schemas. */
export type Schemas = NodePair<readonly Node[]>;

/** A value described by a pair of schemas. */
export type DescribedValue = FindingContext & {
  readonly subject: Subject;
  /** How a value is serialized, if not as JSON: as text, as pairs that are repeated for lists, as XML, or as bytes. */
  readonly serialization?: 'text' | 'pairs' | 'xml' | 'bytes' | undefined;
  /** The default node of findings. */
  readonly node: Node;
};

/** The context of a comparison of two schemas. */
export type SchemaComparison = DescribedValue & {
  /** Compares the schemas of a part of the value: a property or the items. */
  readonly part: (step: string, schemas: Schemas) => readonly Finding[];
  /** Compares two schemas of the same value, such as alternatives. */
  readonly same: (schemas: Schemas) => readonly Finding[];
};

/** Returns the direction of a subject. */
export function directionOf({ subject }: Pick<DescribedValue, 'subject'>): MessageDirection {
  return subject.startsWith('request') ? 'request' : 'response';
}

/** Creates a finding about the compared value. */
export function report(at: DescribedValue, aspect: string, effect: Effect, change: string, node = at.node): Finding {
  return finding(at, `${at.subject}-${aspect}`, LEVEL_OF_EFFECT[directionOf(at)][effect], node, change);
}

/** Returns the effect of a removed limit: most clients do not check limits in responses, but some do. */
export function effectOfRemovedLimit(at: DescribedValue): Effect {
  return directionOf(at) === 'request' ? 'widens' : 'unsure';
}
