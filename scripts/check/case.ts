import type { BodyContent } from './api-operation.ts';
import type { RequestInput, WireRequest } from './wire-request.ts';

/** The purpose of a test case, which decides the expected response. */
export type CaseKind = 'positive' | 'negative' | 'missing header' | 'unsupported method' | 'no authentication';

/** A request with its purpose. */
export type Case = {
  readonly kind: CaseKind;
  /** Describes the request in messages. */
  readonly description: string;
  readonly request: WireRequest;
  /** The values that the request was written from; `undefined` for requests that cannot be simplified. */
  readonly input: RequestInput | undefined;
};

/** One documented media type of a request body, or `undefined` for a request without a body. */
export type BodyChoice = BodyContent | undefined;
