import type { BodyContent } from './api-operation.ts';
import type { RequestInput, WireRequest } from './wire-request.ts';

/** What a request is sent for, which decides what the answer must be. */
export type CaseKind = 'positive' | 'negative' | 'missing header' | 'unsupported method' | 'no authentication';

/** A request to be sent, and what it is to show. */
export type Case = {
  readonly kind: CaseKind;
  /** What is special about it, for people. */
  readonly what: string;
  readonly request: WireRequest;
  /** What the request says, where it is made from values alone: such a case can be made simpler. */
  readonly input: RequestInput | undefined;
};

/** What the bodies of an operation can be: of each of its media types, and none where none is required. */
export type BodyChoice = BodyContent | undefined;
